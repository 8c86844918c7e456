"""Every route of the house."""

from django.contrib import admin
from django.urls import include, path

from collab.api import operations
from collab.api.api import api

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    path("healthz", operations.healthz),
    path("readyz", operations.readyz),
    path("metrics", operations.metrics),
    path("", include("collab.web.urls")),
]
