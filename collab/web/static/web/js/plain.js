/** Pages without a line to the server: times in the reader's own time zone. */

import { localTimes } from "./elements/local.js";

localTimes(document);
