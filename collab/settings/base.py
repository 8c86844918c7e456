"""What the house and the agents have in common."""

from collab.logs import LOGGING_SETUP

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True
LOGGING = LOGGING_SETUP
