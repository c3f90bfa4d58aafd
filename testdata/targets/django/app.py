"""A charges API whose idempotency is the django-idempotency-key middleware.

Responses are kept in Django's cache in a folder, through the package's own cache
storage. Its effects are lines in a file, so that they can be counted from outside
and outlive the process.

    PORT=8084 EFFECTS_FILE=effects.txt CACHE_DIR=cache EXPIRY=20 python app.py
"""

import json
import os
import time
import uuid

import waitress
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.http import require_POST

AFTER_EFFECT = int(os.environ.get("AFTER_EFFECT_MS", "40")) / 1000
EFFECTS = os.open(os.environ["EFFECTS_FILE"], os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    SECRET_KEY="signs nothing here",
    ROOT_URLCONF=__name__,
    MIDDLEWARE=["idempotency_key.middleware.IdempotencyKeyMiddleware"],
    IDEMPOTENCY_KEY={
        "STORAGE": {"CLASS": "idempotency_key.storage.CacheKeyStorage", "CACHE_NAME": "default"},
    },
    CACHES={
        "default": {
            "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
            "LOCATION": os.environ["CACHE_DIR"],
            "TIMEOUT": int(os.environ.get("EXPIRY", "20")),
        }
    },
    LOGGING_CONFIG=None,
)
failed_once = set()


def healthz(request):
    return HttpResponse("ok", content_type="text/plain")


@require_POST
def charge(request):
    return made("ch_", "", request)


@require_POST
def refund(request):
    return made("re_", "refund ", request)


def made(prefix, effect, request):
    body = json.loads(request.body)
    order = body.get("order_id")
    if not isinstance(order, str) or not order or len(order.splitlines()) != 1:
        return JsonResponse({"error": "order_id must be a text of one line"}, status=400)
    if body.get("amount") == 0:
        return JsonResponse({"error": "nothing to pay"}, status=402)
    if request.headers.get("X-Test-Fail") == "once" and order not in failed_once:
        failed_once.add(order)
        raise RuntimeError("failed, as the test asked")
    write(effect + order)
    time.sleep(max(AFTER_EFFECT, int(request.headers.get("X-Test-Work-Ms", "0")) / 1000))
    echo = {k: body[k] for k in ("order_id", "amount", "currency") if k in body}
    return JsonResponse({"id": prefix + uuid.uuid4().hex, **echo}, status=201)


def write(line):
    """The effect: one whole line, on disk before the answer."""
    os.write(EFFECTS, (line + "\n").encode())
    os.fsync(EFFECTS)


urlpatterns = [
    path("healthz", healthz),
    path("v1/charges", charge),
    path("v1/refunds", refund),
]

if __name__ == "__main__":
    waitress.serve(get_wsgi_application(), host="127.0.0.1", port=int(os.environ.get("PORT", "8084")), threads=32)
