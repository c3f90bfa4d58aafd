"""A charges API whose idempotency is the asgi-idempotency-header middleware.

Responses are kept in Redis, the backend that its README sets up. Its effects are
lines in a file, so that they can be counted from outside and outlive the process.

    PORT=8083 EFFECTS_FILE=effects.txt REDIS_URL=redis://127.0.0.1:6379 EXPIRY=20 python app.py
"""

import asyncio
import os
import uuid

import uvicorn
from fastapi import FastAPI, Request
from fastapi.middleware import Middleware
from fastapi.responses import JSONResponse, PlainTextResponse
from idempotency_header_middleware import IdempotencyHeaderMiddleware
from idempotency_header_middleware.backends import RedisBackend
from redis.asyncio import from_url

AFTER_EFFECT = int(os.environ.get("AFTER_EFFECT_MS", "40")) / 1000
EFFECTS = os.open(os.environ["EFFECTS_FILE"], os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)

backend = RedisBackend(redis=from_url(os.environ["REDIS_URL"]), expiry=int(os.environ.get("EXPIRY", "20")))
app = FastAPI(middleware=[Middleware(IdempotencyHeaderMiddleware, backend=backend)])
failed_once = set()


@app.get("/healthz")
async def healthz():
    return PlainTextResponse("ok")


@app.post("/v1/charges")
async def charge(request: Request):
    return await made("ch_", "", request)


@app.post("/v1/refunds")
async def refund(request: Request):
    return await made("re_", "refund ", request)


async def made(prefix: str, effect: str, request: Request):
    body = await request.json()
    order = body.get("order_id")
    if not isinstance(order, str) or not order or len(order.splitlines()) != 1:
        return JSONResponse({"error": "order_id must be a text of one line"}, 400)
    if body.get("amount") == 0:
        return JSONResponse({"error": "nothing to pay"}, 402)
    if request.headers.get("x-test-fail") == "once" and order not in failed_once:
        failed_once.add(order)
        raise RuntimeError("failed, as the test asked")
    write(effect + order)
    await asyncio.sleep(max(AFTER_EFFECT, int(request.headers.get("x-test-work-ms", "0")) / 1000))
    echo = {k: body[k] for k in ("order_id", "amount", "currency") if k in body}
    return JSONResponse({"id": prefix + uuid.uuid4().hex, **echo}, 201)


def write(line: str) -> None:
    """The effect: one whole line, on disk before the answer."""
    os.write(EFFECTS, (line + "\n").encode())
    os.fsync(EFFECTS)


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ.get("PORT", "8083")), log_level="critical")
