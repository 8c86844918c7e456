"""Every route of the house."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from collab.api import operations
from collab.api.api import api
from collab.moderation.beginning import begin
from collab.moderation.pausing import pause
from collab.moderation.status import status

handler400 = "collab.web.views.errors.bad_request"
handler403 = "collab.web.views.errors.forbidden"
handler404 = "collab.web.views.errors.not_found"
handler500 = "collab.web.views.errors.server_error"
urlpatterns = [
    # One door with one bound on guesses; it leads on to where the visitor wanted to go.
    path("admin/login/", RedirectView.as_view(pattern_name="web:sign-in", query_string=True)),
    path("admin/status/", admin.site.admin_view(status), name="status"),
    path("admin/begin/", admin.site.admin_view(begin), name="begin"),
    path("admin/pause/", admin.site.admin_view(pause), name="pause"),
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    path("healthz", operations.healthz),
    path("readyz", operations.readyz),
    path("metrics", operations.metrics),
    path("", include("collab.web.urls")),
]
