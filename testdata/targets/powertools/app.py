"""A charges API of two Lambda handlers whose idempotency is that of Powertools for AWS Lambda.

Records are kept in Redis. What stands in for the Lambda service is a pool of
processes, each of which handles one invocation at a time, as execution
environments do, and gives its handler three seconds, the service's default. The
effects are lines in a file, so that they can be counted from outside and outlive
the processes.

    PORT=8088 EFFECTS_FILE=effects.txt REDIS_URL=redis://127.0.0.1:6379 EXPIRY=20 VALIDATE=yes python app.py

VALIDATE picks the form: with `yes` the payload is validated too, as the
documentation's payload validation says; with `no` the key alone decides.
"""

import json
import os
import time
import uuid

from aws_lambda_powertools.utilities.idempotency import IdempotencyConfig, idempotent
from aws_lambda_powertools.utilities.idempotency.exceptions import (
    IdempotencyAlreadyInProgressError,
    IdempotencyValidationError,
)
from aws_lambda_powertools.utilities.idempotency.persistence.cache import CachePersistenceLayer
from gunicorn.app.base import BaseApplication
from redis import Redis

AFTER_EFFECT = int(os.environ.get("AFTER_EFFECT_MS", "40")) / 1000
EFFECTS = os.open(os.environ["EFFECTS_FILE"], os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
TIMEOUT = 3
ENVIRONMENTS = 12

store = CachePersistenceLayer(client=Redis.from_url(os.environ["REDIS_URL"], decode_responses=True))
config = IdempotencyConfig(
    event_key_jmespath='headers."idempotency-key"',
    payload_validation_jmespath="powertools_json(body)" if os.environ.get("VALIDATE") == "yes" else "",
    expires_after_seconds=int(os.environ.get("EXPIRY", "20")),
)


@idempotent(config=config, persistence_store=store)
def charge(event, context):
    return made("ch_", "", event)


@idempotent(config=config, persistence_store=store)
def refund(event, context):
    return made("re_", "refund ", event)


def made(prefix, effect, event):
    body = json.loads(event["body"])
    order = body.get("order_id")
    if not isinstance(order, str) or not order or len(order.splitlines()) != 1:
        return answer(400, {"error": "order_id must be a text of one line"})
    if body.get("amount") == 0:
        return answer(402, {"error": "nothing to pay"})
    if event["headers"].get("x-test-fail") == "once" and first_time(order):
        raise RuntimeError("failed, as the test asked")
    write(effect + order)
    time.sleep(max(AFTER_EFFECT, int(event["headers"].get("x-test-work-ms", "0")) / 1000))
    echo = {k: body[k] for k in ("order_id", "amount", "currency") if k in body}
    return answer(201, {"id": prefix + uuid.uuid4().hex, **echo})


def answer(status, body):
    return {"statusCode": status, "headers": {"Content-Type": "application/json"}, "body": json.dumps(body)}


def first_time(order):
    """Says of one attempt at most, in whichever process, that it is the first."""
    return store.client.set("failed " + order, "once", nx=True, ex=600)


def write(line):
    """The effect: one whole line, on disk before the answer."""
    os.write(EFFECTS, (line + "\n").encode())
    os.fsync(EFFECTS)


class Context:
    """The part of a Lambda context that the library asks for."""

    def __init__(self):
        self.deadline = time.monotonic() + TIMEOUT

    def get_remaining_time_in_millis(self):
        return max(0, int((self.deadline - time.monotonic()) * 1000))


HANDLERS = {"/v1/charges": charge, "/v1/refunds": refund}


def invoke(environ, start_response):
    """One HTTP request as one invocation. The errors are those that the documentation names."""
    handler = HANDLERS.get(environ["PATH_INFO"])
    if handler is None or environ["REQUEST_METHOD"] != "POST":
        result = answer(200 if environ["PATH_INFO"] == "/healthz" else 404, {})
    else:
        headers = {n[5:].replace("_", "-").lower(): v for n, v in environ.items() if n.startswith("HTTP_")}
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)).decode()
        try:
            result = handler({"httpMethod": "POST", "path": environ["PATH_INFO"], "headers": headers, "body": body}, Context())
        except IdempotencyAlreadyInProgressError:
            result = answer(409, {"error": "in progress"})
        except IdempotencyValidationError:
            result = answer(422, {"error": "another payload under this key"})
        except Exception as err:  # what API Gateway answers for a function that failed
            result = answer(502, {"error": str(err)})
    start_response(f"{result['statusCode']} -", list(result["headers"].items()))
    return [result["body"].encode()]


class Pool(BaseApplication):
    def load_config(self):
        self.cfg.set("bind", "127.0.0.1:" + os.environ.get("PORT", "8088"))
        self.cfg.set("workers", ENVIRONMENTS)
        self.cfg.set("preload_app", True)
        self.cfg.set("loglevel", "critical")
        self.cfg.set("control_socket_disable", True)

    def load(self):
        return invoke


if __name__ == "__main__":
    Pool().run()
