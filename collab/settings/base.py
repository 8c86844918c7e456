"""What the house and the agents have in common."""

import os

from collab import logs

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True
LOGGING = logs.setup(os.environ)
