package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.access.Authentication;
import io.sluice.broker.access.Principal;
import io.sluice.broker.identity.Identified;
import io.sluice.broker.identity.KnownClient;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.websocket.OtherGateways;
import io.sluice.pulsar.websocket.WebSocketApi;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.PulsarClientException.AuthorizationException;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandSubscribe;
import org.apache.pulsar.common.api.proto.ScalableConsumerType;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client uses ends when it loses the right to it, or its user goes. */
@Timeout(90)
class RevocationTest {
    private static final String MINE = "persistent://public/default/mine";
    private static final String OTHERS = "persistent://public/default/others";

    private static final String WATCHED = "persistent://public/default/watched";

    private RuledGateway ruled;

    @BeforeEach
    void start() throws Exception {
        ruled = new RuledGateway("alice", "bob");
        for (String name : List.of("alice", "bob")) {
            ruled.allow(name, "mine");
            ruled.allow(name, "others");
        }
    }

    @AfterEach
    void stop() {
        ruled.close();
    }

    private static ByteBuf subscribe(String topic, long id) {
        return Commands.newSubscribe(topic, "s" + id, id, id, CommandSubscribe.SubType.Exclusive, 0, "c", 0);
    }

    private static void expectEnd(RawClient client, ServerError why) throws Exception {
        assertThat(client.expect(BaseCommand.Type.ERROR).getError().getError()).isEqualTo(why);
        assertThat(client.isEnded()).isTrue();
    }

    @Test
    void aConsumerEndsWithItsRightAndThatOfAnotherUserDoesNot() throws Exception {
        try (RawClient alice = ruled.connect("alice");
                RawClient bob = ruled.connect("bob")) {
            for (RawClient each : List.of(alice, bob)) {
                each.write(subscribe(MINE, each == alice ? 1 : 2));
                each.expect(BaseCommand.Type.SUCCESS);
            }
            ruled.disallow("alice", "mine");
            expectEnd(alice, ServerError.AuthorizationError);
            bob.write(subscribe(OTHERS, 3));
            bob.expect(BaseCommand.Type.SUCCESS);
        }
        try (RawClient again = ruled.connect("alice")) {
            again.write(subscribe(MINE, 1));
            assertThat(again.expect(BaseCommand.Type.ERROR).getError().getError())
                    .isEqualTo(ServerError.AuthorizationError);
            again.write(subscribe(OTHERS, 4));
            again.expect(BaseCommand.Type.SUCCESS);
        }
    }

    @Test
    void aWebSocketEndsWithItsRightAndWithItsUser() throws Exception {
        Vertx vertx = Vertx.vertx();
        try {
            String url = socketsOf("alice", vertx);
            try (SocketClient mine = SocketClient.open(url + "/ws/v2/producer/persistent/public/default/mine");
                    SocketClient others = SocketClient.open(url + "/ws/v2/reader/persistent/public/default/others")) {
                ruled.disallow("alice", "mine");
                assertThat(mine.closeCode()).isEqualTo(1008);
                others.send("{\"type\":\"isEndOfTopic\"}");
                assertThat(others.next().getBoolean("endOfTopic")).isFalse();
                assertThat(SocketClient.refusal(url + "/ws/v2/producer/persistent/public/default/mine"))
                        .isEqualTo(403);
                ruled.users.change("alice", _ -> null);
                assertThat(others.closeCode()).isEqualTo(1008);
            }
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        }
    }

    /** URL of the WebSocket interface where everybody is this user. */
    private String socketsOf(String user, Vertx vertx) throws Exception {
        Router router = Router.router(vertx);
        var known = new KnownClient(
                ruled.gateway.gateway().services().config().security(),
                new Principal(user, Set.of(), Authentication.PASSWORD, "http", "127.0.0.1"),
                Identified.NEVER,
                null);
        router.route().handler(ctx -> {
            ctx.put(KnownClient.ATTRIBUTE, known);
            ctx.next();
        });
        new WebSocketApi(ruled.gateway.gateway(), OtherGateways.NONE, 10, 0).mount(router);
        HttpServer http = vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
        return "http://127.0.0.1:" + http.actualPort();
    }

    private void expectEndWithout(String topic, BaseCommand.Type answer, ByteBuf opening) throws Exception {
        ruled.allow("alice", topic);
        try (RawClient alice = ruled.connect("alice")) {
            alice.write(opening);
            alice.expect(answer);
            ruled.disallow("alice", topic);
            expectEnd(alice, ServerError.AuthorizationError);
        }
    }

    @Test
    void aWatchOfATopicOrOfTheCoordinatorsEndsWithItsRight() throws Exception {
        expectEndWithout(
                "watched", BaseCommand.Type.SCALABLE_TOPIC_UPDATE, Commands.newScalableTopicLookup(1, WATCHED));
        expectEndWithout(
                "_ns.pulsar.system.transaction__coordinator__assign",
                BaseCommand.Type.WATCH_TC_ASSIGNMENTS_UPDATE,
                Commands.newWatchTcAssignments(1));
    }

    /** Whoever may describe all topics of a namespace may watch them. */
    @Test
    void aWatchOfTheTopicsOfANamespaceEndsWithItsRight() throws Exception {
        expectEndWithout(
                "*",
                BaseCommand.Type.WATCH_TOPIC_LIST_SUCCESS,
                Commands.serializeWithSize(Commands.newWatchTopicList(1, 1, "public/default", ".*", "")));
    }

    @Test
    void aStreamConsumerEndsWithItsRight() throws Exception {
        ruled.gateway
                .broker()
                .scalableTopics()
                .create(TopicName.ofDefault("stream"), 1, Map.of())
                .get(30, TimeUnit.SECONDS);
        expectEndWithout(
                "stream",
                BaseCommand.Type.SCALABLE_TOPIC_SUBSCRIBE_RESPONSE,
                Commands.newScalableTopicSubscribe(
                        7, "topic://public/default/stream", "s", "c", 1, ScalableConsumerType.STREAM));
    }

    @Test
    void aStockProducerSendsNothingMoreAndAnotherOneOfItsClientGoesOn() throws Exception {
        try (PulsarClient client = PulsarClients.builder("pulsar://127.0.0.1:" + ruled.gateway.port())
                        .authentication(RuledGateway.basic("alice"))
                        .build();
                Producer<byte[]> mine = client.newProducer()
                        .topic(MINE)
                        .sendTimeout(5, TimeUnit.SECONDS)
                        .create();
                Producer<byte[]> others = client.newProducer().topic(OTHERS).create()) {
            mine.send(new byte[] {1});
            others.send(new byte[] {1});
            ruled.disallow("alice", "mine");
            assertThatThrownBy(() -> {
                        while (true) {
                            mine.send(new byte[] {2});
                        }
                    })
                    .isInstanceOf(PulsarClientException.class);
            others.send(new byte[] {3});
            assertThatThrownBy(() -> client.newProducer().topic(MINE).create())
                    .isInstanceOf(AuthorizationException.class);
        }
    }

    @Test
    void aConnectionEndsWithItsUser() throws Exception {
        try (RawClient alice = ruled.connect("alice");
                RawClient bob = ruled.connect("bob")) {
            ruled.users.change("alice", _ -> null);
            expectEnd(alice, ServerError.AuthenticationError);
            bob.write(subscribe(OTHERS, 3));
            bob.expect(BaseCommand.Type.SUCCESS);
        }
    }
}
