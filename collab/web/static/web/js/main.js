/** The page's elements. Without them every page still works by its forms and links. */

import { EarshotComposer } from "./elements/composer.js";
import { EarshotSession } from "./elements/session.js";
import { EarshotTranscript } from "./elements/transcript.js";

customElements.define("earshot-transcript", EarshotTranscript);
customElements.define("earshot-composer", EarshotComposer);
customElements.define("earshot-session", EarshotSession);
