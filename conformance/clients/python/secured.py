"""librdkafka, Pulsar's C++ client, HTTP and WebSocket against a server with TLS, logins and access rules: who is let in, and who hears why not.

usage: secured.py FOLDER PASSWORD BOOTSTRAP SERVICE_URL HTTP_URL SUBSCRIPTIONS
FOLDER has ca.pem; alice.pem with its key and alice.token; node.pem with its key, of another authority; expired.token;
mallory.pem, which is revoked, with its key.
alice may use topics and groups that begin with secured-, and not the topic forbidden; she administers the tenant acme, and the
subscription of-dan of public/default is for dan alone. Each user may have so many SUBSCRIPTIONS (0: not tried), and counted-python, with its token, may
use topics and groups that begin with secured-, too.
Prints a line per check; exits with 1 and one line at the first that fails.
"""
import ssl
import sys
import time
import urllib.error
import urllib.request

import pulsar
import websocket
from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition

FOLDER, PASSWORD, BOOTSTRAP, SERVICE_URL, HTTP_URL = sys.argv[1:6]
SUBSCRIPTIONS = int(sys.argv[6])
SOON_SECONDS = 20


def path(name):
    return f"{FOLDER}/{name}"


def text(name):
    with open(path(name)) as file:
        return file.read().strip()


def check(condition, line):
    if not condition:
        sys.exit("FAILED: " + line)


def ok(line):
    print("ok " + line, flush=True)


# ---- librdkafka ----

def sasl(mechanism, password=PASSWORD):
    return {"security.protocol": "SASL_SSL", "sasl.mechanism": mechanism, "sasl.username": "alice",
            "sasl.password": password}


def bearer(token):
    return {"security.protocol": "SASL_SSL", "sasl.mechanism": "OAUTHBEARER",
            "oauth_cb": lambda _: (text(token), time.time() + 3600)}


def certificate(name):
    return {"security.protocol": "SSL", "ssl.certificate.location": path(name + ".pem"),
            "ssl.key.location": path(name + "-key.pem")}


def kafka(login, **more):
    return {"bootstrap.servers": BOOTSTRAP, "ssl.ca.location": path("ca.pem"), **login, **more}


def produced(login, topic):
    """The delivered message, or the error with which it failed."""
    answers = []
    producer = Producer(kafka(login, **{"message.timeout.ms": SOON_SECONDS * 1000}))
    producer.produce(topic, b"hello", on_delivery=lambda error, message: answers.append(error or message))
    producer.flush(SOON_SECONDS + 10)
    check(answers, f"a record to {topic} was never answered")
    return answers[0]


def kafka_round_trip(name, login):
    message = produced(login, "secured-librdkafka")
    check(not isinstance(message, KafkaError), f"{name}: {message}")
    consumer = Consumer(kafka(login, **{"group.id": "secured-librdkafka"}))
    consumer.assign([TopicPartition(message.topic(), message.partition(), message.offset())])
    read = consumer.poll(SOON_SECONDS)
    check(read is not None and read.error() is None and read.value() == b"hello", f"{name}: read {read}")
    consumer.commit(read, asynchronous=False)
    consumer.close()
    ok(f"librdkafka, {name}")


def kafka_refused(name, login, code, words):
    """The application hears of it by its error callback, which is where librdkafka tells of connections."""
    errors = []
    producer = Producer(kafka(login, error_cb=errors.append))
    deadline = time.monotonic() + SOON_SECONDS
    while not any(error.code() == code and words in error.str() for error in errors):
        check(time.monotonic() < deadline, f"{name}: heard {[str(error) for error in errors]}")
        producer.poll(0.1)
    ok(f"librdkafka, {name}")


def kafka_without_right():
    error = produced(sasl("SCRAM-SHA-512"), "forbidden")
    check(isinstance(error, KafkaError) and error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED, f"forbidden: {error}")
    for group, topic, code in [("secured-g", "forbidden", KafkaError.TOPIC_AUTHORIZATION_FAILED),
                               ("another", "secured-librdkafka", KafkaError.GROUP_AUTHORIZATION_FAILED)]:
        consumer = Consumer(kafka(sasl("SCRAM-SHA-512"), **{"group.id": group}))
        consumer.subscribe([topic])
        heard = consumer.poll(SOON_SECONDS)
        check(heard is not None and heard.error() is not None and heard.error().code() == code,
              f"{topic} in the group {group}: {heard and heard.error()}")
        consumer.close()
    ok("librdkafka, without a right")


def librdkafka():
    for mechanism in ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]:
        kafka_round_trip(mechanism, sasl(mechanism))
        kafka_refused(mechanism + " with a wrong password", sasl(mechanism, "wrong"), KafkaError._AUTHENTICATION,
                      "uthentication failed")
    kafka_round_trip("OAUTHBEARER", bearer("alice.token"))
    kafka_refused("OAUTHBEARER with a token that has ended", bearer("expired.token"), KafkaError._AUTHENTICATION,
                  "invalid_token")
    kafka_round_trip("certificate", certificate("alice"))
    kafka_refused("certificate of another authority", certificate("node"), KafkaError._TRANSPORT, "alert unknown ca")
    kafka_refused("revoked certificate", certificate("mallory"), KafkaError._TRANSPORT, "alert certificate revoked")
    kafka_refused("a server of another authority", {**sasl("PLAIN"), "ssl.ca.location": path("node-ca.pem")},
                  KafkaError._SSL, "certificate verify failed")
    kafka_without_right()


# ---- Pulsar's C++ client ----

def client(authentication, authorities="ca.pem", timeout_seconds=SOON_SECONDS):
    return pulsar.Client(SERVICE_URL, authentication=authentication, tls_trust_certs_file_path=path(authorities),
                         tls_validate_hostname=True, operation_timeout_seconds=timeout_seconds,
                         logger=pulsar.ConsoleLogger(pulsar.LoggerLevel.Error))


def pulsar_certificate(name):
    return pulsar.AuthenticationTLS(path(name + ".pem"), path(name + "-key.pem"))


def pulsar_round_trip(name, authentication, topic="secured-cpp", subscription="s"):
    with_login = client(authentication)
    consumer = with_login.subscribe(topic, subscription)
    producer = with_login.create_producer(topic)
    producer.send(b"hello")
    message = consumer.receive(SOON_SECONDS * 1000)
    check(message.data() == b"hello", f"{name}: received {message.data()}")
    consumer.acknowledge(message)
    with_login.close()
    ok(f"C++, {name}")


def pulsar_refused(name, authentication, error, topic="secured-cpp", authorities="ca.pem", timeout_seconds=1):
    """What is refused once the client is connected gets the time that a slow machine needs to connect."""
    for what, ask in [("producer", lambda c: c.create_producer(topic)), ("consumer", lambda c: c.subscribe(topic, "s"))]:
        refused = client(authentication, authorities, timeout_seconds)
        begun = time.monotonic()
        try:
            ask(refused)
        except error:
            took = time.monotonic() - begun
            check(took < SOON_SECONDS / 2, f"{name}: the {what} heard after {took:.1f} s")
        except Exception as other:
            sys.exit(f"FAILED: {name}: the {what} heard {other!r}")
        else:
            sys.exit(f"FAILED: {name}: the {what} is not refused")
        refused.close()
    ok(f"C++, {name}")


def subscription_of_another(authentication):
    refused = client(authentication)
    try:
        refused.subscribe("secured-cpp", "of-dan")
    except pulsar.AuthorizationError:
        ok("C++, a subscription of another")
    else:
        sys.exit("FAILED: a subscription of another is not refused")
    refused.close()


def cpp():
    token = pulsar.AuthenticationToken(text("alice.token"))
    pulsar_round_trip("token", token)
    pulsar_round_trip("basic", pulsar.AuthenticationBasic("alice", PASSWORD))
    pulsar_round_trip("certificate", pulsar_certificate("alice"))
    # This client drops what it is told in place of CONNECTED, and tries again until the timeout.
    pulsar_refused("a token that has ended", pulsar.AuthenticationToken(text("expired.token")), pulsar.Timeout)
    pulsar_refused("basic with a wrong password", pulsar.AuthenticationBasic("alice", "wrong"), pulsar.Timeout)
    pulsar_refused("nobody", None, pulsar.Timeout)
    # Whatever TLS says, it tells its application no more.
    pulsar_refused("certificate of another authority", pulsar_certificate("node"), (pulsar.ConnectError, pulsar.Timeout))
    pulsar_refused("revoked certificate", pulsar_certificate("mallory"), (pulsar.ConnectError, pulsar.Timeout))
    pulsar_refused("a server of another authority", token, pulsar.ConnectError, authorities="node-ca.pem")
    pulsar_refused("without a right", token, pulsar.AuthorizationError, topic="forbidden", timeout_seconds=SOON_SECONDS)
    pulsar_round_trip("an administrator of the tenant", token, "persistent://acme/shop/cpp", "of-dan")
    subscription_of_another(token)


# ---- as many subscriptions as a user may have ----

COUNTED = "secured-counted-python"


def member(group, protocol):
    consumer = Consumer(kafka(bearer("counted-python.token"), **{"group.id": "secured-" + group, "group.protocol": protocol}))
    consumer.subscribe([COUNTED])
    return consumer


def joined(group, protocol):
    consumer = member(group, protocol)
    deadline = time.monotonic() + SOON_SECONDS
    while not consumer.assignment():
        check(time.monotonic() < deadline, f"{group} has not joined as a {protocol} member")
        heard = consumer.poll(0.1)
        check(heard is None or heard.error() is None, f"{group}: {heard and heard.error()}")
    return consumer


def no_member(protocol):
    consumer = member("one-more", protocol)
    heard = consumer.poll(SOON_SECONDS)
    error = heard and heard.error()
    check(error is not None and "maximum size" in error.str(), f"one {protocol} member more: {error}")
    consumer.close()


def no_consumer(connected):
    try:
        connected.subscribe(COUNTED, "one-more")
    except pulsar.NotAllowedError:
        return
    sys.exit("FAILED: one consumer more is not refused")


def subscriptions():
    """One user's, of both protocols together."""
    check(not isinstance(produced(bearer("counted-python.token"), COUNTED), KafkaError), "a record of who is counted")
    connected = client(pulsar.AuthenticationToken(text("counted-python.token")))
    consumers = [connected.subscribe(COUNTED, f"s{n}") for n in range(SUBSCRIPTIONS - 2)]
    members = [joined("classic", "classic"), joined("newer", "consumer")]
    no_consumer(connected)
    ok("C++, one consumer more")
    no_member("classic")
    no_member("consumer")
    ok("librdkafka, one member more")
    consumers.pop().close()
    members.append(joined("instead-classic", "classic"))
    no_consumer(connected)
    members.pop().close()
    members.append(joined("instead-newer", "consumer"))
    no_consumer(connected)
    for each in members:
        each.close()
    consumers += [connected.subscribe(COUNTED, f"again{n}") for n in range(len(members))]
    no_consumer(connected)
    connected.close()
    ok("librdkafka and C++, places of those that have left")


# ---- HTTP ----

def status(page, token=None, shown=None):
    context = ssl.create_default_context(cafile=path("ca.pem"))
    if shown:
        context.load_cert_chain(path(shown + ".pem"), path(shown + "-key.pem"))
    request = urllib.request.Request(HTTP_URL + page, headers={"Authorization": "Bearer " + text(token)} if token else {})
    try:
        with urllib.request.urlopen(request, context=context, timeout=SOON_SECONDS) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except (urllib.error.URLError, ssl.SSLError) as error:
        return str(error)


def http():
    ours = "/admin/v2/persistent/public/default/secured-cpp/stats"
    others = "/admin/v2/persistent/public/default/forbidden/stats"
    for expected, answer in [(200, status(ours, token="alice.token")), (200, status(ours, shown="alice")),
                             (403, status(others, token="alice.token")), (403, status(others, shown="alice")),
                             (401, status(ours, token="expired.token")), (401, status(ours)),
                             (401, status(ours, shown="mallory"))]:
        check(answer == expected, f"HTTP: {answer}, expected {expected}")
    answer = status(ours, shown="node")
    check("alert" in str(answer) and "internal" not in str(answer), f"HTTP with a certificate of another authority: {answer}")
    ok("HTTP")


# ---- WebSocket ----

def handshake(topic, token=None, query=""):
    header = ["Authorization: Bearer " + text(token)] if token else []
    url = HTTP_URL.replace("http", "ws", 1) + "/ws/v2/producer/persistent/public/default/" + topic + query
    try:
        websocket.create_connection(url, header=header, timeout=SOON_SECONDS, sslopt={"ca_certs": path("ca.pem")}).close()
        return 101
    except websocket.WebSocketBadStatusException as refused:
        return refused.status_code


def web_socket():
    in_query = "?token=" + text("alice.token")
    for expected, answer in [(101, handshake("secured-ws", token="alice.token")), (101, handshake("secured-ws", query=in_query)),
                             (403, handshake("forbidden", token="alice.token")), (403, handshake("forbidden", query=in_query)),
                             (401, handshake("secured-ws", token="expired.token")), (401, handshake("secured-ws"))]:
        check(answer == expected, f"WebSocket: {answer}, expected {expected}")
    check(status("/admin/v2/persistent/public/default/secured-cpp/stats" + in_query) == 401, "a token in the query, not of a WebSocket")
    ok("WebSocket")


librdkafka()
cpp()
if SUBSCRIPTIONS:
    subscriptions()
http()
web_socket()
print("all ok", flush=True)
