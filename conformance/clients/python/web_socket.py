"""websocket-client (Pulsar's documentation names it) and Pulsar's client on the same topics.

usage: web_socket.py SERVICE_URL HTTP_URL
Prints a line per check; exits with 1 and one line at the first that fails.
"""
import base64
import json
import sys
import uuid

import pulsar
import websocket

SERVICE_URL, HTTP_URL = sys.argv[1:]
ROOT = HTTP_URL.replace("http", "ws", 1) + "/ws/v2/"
RUN = uuid.uuid4().hex
SECONDS = 30


def check(condition, line):
    if not condition:
        sys.exit("FAILED: " + line)


def ok(line):
    print("ok " + line, flush=True)


def connect(path):
    return websocket.create_connection(ROOT + path, timeout=SECONDS)


def refusal(path):
    try:
        connect(path).close()
    except websocket.WebSocketBadStatusException as refused:
        return refused.status_code
    return 101


def topic(name):
    return f"persistent/public/default/ws-{name}-{RUN}"


def encoded(content):
    return base64.b64encode(content).decode()


def send(socket, **fields):
    socket.send(json.dumps(fields))
    answer = json.loads(socket.recv())
    check(answer["result"] == "ok", f"sent: {answer}")
    return answer


def take(socket):
    message = json.loads(socket.recv())
    socket.send(json.dumps({"messageId": message["messageId"]}))
    return message


client = pulsar.Client(SERVICE_URL)

# ---- a producer over WebSocket, a consumer of each kind
name = topic("sent")
pulsar_name = name.replace("persistent/", "persistent://", 1)
reading = client.subscribe(pulsar_name, "pulsar", initial_position=pulsar.InitialPosition.Earliest)
consumer = connect(f"consumer/{name}/socket?subscriptionType=Shared&receiverQueueSize=50")
producer = connect(f"producer/{name}?batchingEnabled=true&batchingMaxPublishDelay=5&compressionType=LZ4")
for n in range(200):
    producer.send(json.dumps({"payload": encoded(b"%d" % n), "key": "k", "properties": {"n": str(n)}, "context": str(n)}))
ids = []
for n in range(200):
    answer = json.loads(producer.recv())
    check(answer["result"] == "ok" and answer["context"] == str(n), f"answer {n}: {answer}")
    ids.append(answer["messageId"])
for n in range(200):
    message = reading.receive(timeout_millis=SECONDS * 1000)
    check(message.data() == b"%d" % n and message.properties() == {"n": str(n)}, f"Pulsar's client at {n}")
    reading.acknowledge(message)
for n in range(200):
    message = take(consumer)
    check(base64.b64decode(message["payload"]) == b"%d" % n, f"socket at {n}: {message}")
    check(message["key"] == "k" and message["properties"] == {"n": str(n)}, f"socket at {n}: {message}")
ok("sent over WebSocket, read by both")

# ---- the other way round, and readers
writing = client.create_producer(pulsar_name)
for n in range(200, 300):
    writing.send_async(b"%d" % n, lambda _result, _id: None)
writing.flush()
for n in range(200, 300):
    check(base64.b64decode(take(consumer)["payload"]) == b"%d" % n, f"socket at {n}")
for start in (0, 10, 199):
    reader = connect(f"reader/{name}?messageId={ids[start].replace('+', '%2B').replace('/', '%2F').replace('=', '%3D')}")
    for n in range(start + 1, 300):
        check(base64.b64decode(take(reader)["payload"]) == b"%d" % n, f"reader from {start} at {n}")
    reader.close()
ok("sent by Pulsar's client, read over WebSocket from wherever it is told")

# ---- what is acknowledged stays so
consumer.close()
consumer = connect(f"consumer/{name}/socket?subscriptionType=Shared")
send(producer, payload=encoded(b"last"))
check(base64.b64decode(take(consumer)["payload"]) == b"last", "what was acknowledged has come again")
consumer.close()
producer.close()
ok("acknowledged")

# ---- large, and hostile
name = topic("large")
reader = connect(f"reader/{name}?messageId=earliest")
producer = connect(f"producer/{name}")
large = bytes(range(256)) * (4 << 12)
send(producer, payload=encoded(large))
check(base64.b64decode(take(reader)["payload"]) == large, "4 MiB are not as they were")
for bad in ("{", "[]", '{"payload": "?"}', '{"payload": {}}', "\u0000"):
    producer.send(bad)
    check(json.loads(producer.recv())["result"].startswith("send-error:"), f"{bad} was taken")
send(producer, payload=encoded(b"after"))
check(base64.b64decode(take(reader)["payload"]) == b"after", "the reader stands")
try:
    producer.send("x" * (16 << 20))
    ended = producer.recv() == ""
except (websocket.WebSocketException, OSError):
    ended = True
check(ended, "a message of 16 MiB was taken")
reader.close()
ok("large and bad messages")

check(refusal(f"consumer/{name}/s?subscriptionType=None") == 400, "a bad parameter")
holder = connect(f"consumer/{name}/s")
check(refusal(f"consumer/{name}/s") == 409, "a second exclusive consumer")
holder.close()
ok("refused with Pulsar's statuses")

client.close()
print("all ok", flush=True)
