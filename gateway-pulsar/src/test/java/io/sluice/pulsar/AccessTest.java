package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.access.Authorizer;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.topic.TopicName;
import io.vertx.ext.web.Route;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.ProducerAccessMode;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandGetTopicsOfNamespace.Mode;
import org.apache.pulsar.common.api.proto.CommandSubscribe;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.schema.SchemaInfo;
import org.apache.pulsar.common.schema.SchemaType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client is told that may not do what it asks for. */
@Timeout(90)
class AccessTest {
    private static final String T = "persistent://public/default/t";

    /** Nothing is allowed but what a test names, on whatever it is done with. */
    private static final class Allowing implements Authorizer {
        private final Set<Operation> allowed = EnumSet.noneOf(Operation.class);
        private final Set<Principal> asked = ConcurrentHashMap.newKeySet();

        @Override
        public boolean allows(Principal principal, Operation operation, TopicName topic) {
            asked.add(principal);
            return allowed.contains(operation);
        }
    }

    private final Allowing authorizer = new Allowing();
    private TestGateway gateway;
    private RawClient client;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start(authorizer);
        client = RawClient.connect(gateway);
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        gateway.close();
    }

    private BaseCommand ask(ByteBuf command) throws IOException {
        client.write(command);
        return client.read();
    }

    private static ByteBuf producer(long id, String initialSubscription) {
        return Commands.newProducer(
                T,
                id,
                id,
                "p" + id,
                false,
                Map.of(),
                (SchemaInfo) null,
                0,
                false,
                ProducerAccessMode.Shared,
                Optional.empty(),
                false,
                initialSubscription);
    }

    private static ByteBuf subscribe(long id) {
        return Commands.newSubscribe(T, "s", id, id, CommandSubscribe.SubType.Exclusive, 0, "c", 0);
    }

    private void expectDenied(ByteBuf command, String message) throws IOException {
        BaseCommand answer = ask(command);
        assertThat(answer.getType()).isEqualTo(BaseCommand.Type.ERROR);
        assertThat(answer.getError().getError()).isEqualTo(ServerError.AuthorizationError);
        assertThat(answer.getError().getMessage()).isEqualTo(message);
    }

    @Test
    void everyCommandThatNamesATopicIsDenied() throws Exception {
        var lookup = ask(Commands.newLookup(T, false, 1)).getLookupTopicResponse();
        assertThat(lookup.getError()).isEqualTo(ServerError.AuthorizationError);
        assertThat(lookup.getMessage()).isEqualTo("Client is not authorized to Lookup");

        var metadata = ask(Commands.newPartitionMetadataRequest(T, 2, true)).getPartitionMetadataResponse();
        assertThat(metadata.getError()).isEqualTo(ServerError.AuthorizationError);
        assertThat(metadata.getMessage()).isEqualTo("Client is not authorized to Get Partition Metadata");

        expectDenied(producer(3, ""), "Client is not authorized to Produce");
        expectDenied(subscribe(4), "Client is not authorized to subscribe");

        var schema = ask(Commands.newGetSchema(5, T, Optional.empty())).getGetSchemaResponse();
        assertThat(schema.getErrorCode()).isEqualTo(ServerError.AuthorizationError);

        SchemaInfo text = SchemaInfo.builder()
                .name("t")
                .schema(new byte[0])
                .type(SchemaType.STRING)
                .build();
        var created = ask(Commands.newGetOrCreateSchema(6, T, "p", text)).getGetOrCreateSchemaResponse();
        assertThat(created.getErrorCode()).isEqualTo(ServerError.AuthorizationError);

        expectDenied(
                Commands.newGetTopicsOfNamespaceRequest("public/default", 7, Mode.PERSISTENT, null, null, Map.of()),
                "Client is not authorized to GetTopicsOfNamespace");

        assertThat(authorizer.asked).containsExactly(Principal.anonymous("pulsar", "127.0.0.1"));
        assertThat(gateway.broker().catalogue().find(TopicName.ofDefault("t"))).isNull();
    }

    @Test
    void everyCommandThatNamesATopicThatIsNotKeptIsDenied() throws Exception {
        String t = "non-persistent://public/default/t";
        assertThat(ask(Commands.newLookup(t, false, 1)).getLookupTopicResponse().getError())
                .isEqualTo(ServerError.AuthorizationError);
        assertThat(ask(Commands.newPartitionMetadataRequest(t, 2, true))
                        .getPartitionMetadataResponse()
                        .getError())
                .isEqualTo(ServerError.AuthorizationError);
        expectDenied(
                Commands.newProducer(
                        t,
                        3,
                        3,
                        "p",
                        false,
                        Map.of(),
                        (SchemaInfo) null,
                        0,
                        false,
                        ProducerAccessMode.Shared,
                        Optional.empty(),
                        false,
                        ""),
                "Client is not authorized to Produce");
        expectDenied(
                Commands.newSubscribe(t, "s", 4, 4, CommandSubscribe.SubType.Exclusive, 0, "c", 0),
                "Client is not authorized to subscribe");
        assertThat(ask(Commands.newGetSchema(5, t, Optional.empty()))
                        .getGetSchemaResponse()
                        .getErrorCode())
                .isEqualTo(ServerError.AuthorizationError);
        assertThat(gateway.gateway().services().nonPersistent().size()).isZero();
    }

    @Test
    void whoMayWriteMayProduceAndNothingElse() throws Exception {
        authorizer.allowed.add(Operation.WRITE);
        assertThat(ask(producer(1, "")).getType()).isEqualTo(BaseCommand.Type.PRODUCER_SUCCESS);
        expectDenied(subscribe(2), "Client is not authorized to subscribe");
        expectDenied(producer(3, "from-the-start"), "Client is not authorized to Produce");
        // the id of a refused producer is free again
        assertThat(ask(producer(3, "")).getType()).isEqualTo(BaseCommand.Type.PRODUCER_SUCCESS);
    }

    @Test
    void whoMayReadMaySubscribeAndNothingElse() throws Exception {
        authorizer.allowed.add(Operation.READ);
        assertThat(ask(subscribe(1)).getType()).isEqualTo(BaseCommand.Type.SUCCESS);
        expectDenied(producer(2, ""), "Client is not authorized to Produce");
    }

    @Test
    void everyRouteIsDenied() throws Exception {
        try (TestAdmin admin = new TestAdmin(gateway)) {
            int routes = 0;
            for (Route route : admin.routes()) {
                if (route.methods() == null) {
                    // the last ones, for everything that has no route
                    continue;
                }
                String path = route.getPath().replaceAll(":[a-zA-Z]+", "1");
                for (var method : route.methods()) {
                    HttpResponse<String> answer = admin.ask(method.name(), path);
                    assertThat(answer.statusCode()).as("%s %s", method, path).isEqualTo(403);
                    assertThat(answer.body())
                            .containsAnyOf("\"reason\"", "\"error_code\":40301"); // Pulsar's, the registry's
                    routes++;
                }
            }
            assertThat(routes).isGreaterThan(50);
        }
    }

    @Test
    void routesSayWhatWasDenied() throws Exception {
        try (TestAdmin admin = new TestAdmin(gateway)) {
            assertThat(admin.ask("GET", "/admin/v2/persistent/public/default/t/stats")
                            .body())
                    .contains("Unauthorized to validateTopicOperation for operation [DESCRIBE] on topic [" + T + "]");
            assertThat(admin.ask("GET", "/admin/v2/persistent/public/default").body())
                    .contains("Unauthorized to validateNamespaceOperation for operation [DESCRIBE] on namespace"
                            + " [public/default]");
            assertThat(admin.ask("PUT", "/admin/v2/tenants/acme").body()).contains("super-user");
        }
    }

    @Test
    void routesAskForTheirOwnOperation() throws Exception {
        authorizer.allowed.addAll(EnumSet.of(Operation.CREATE, Operation.DESCRIBE));
        String topic = "/admin/v2/persistent/public/default/t";
        try (TestAdmin admin = new TestAdmin(gateway)) {
            assertThat(admin.ask("PUT", topic).statusCode()).isEqualTo(204);
            assertThat(admin.ask("GET", topic + "/stats").statusCode()).isEqualTo(200);
            assertThat(admin.ask("GET", topic + "/subscriptions").statusCode()).isEqualTo(403);
            assertThat(admin.ask("PUT", topic + "/subscription/s").statusCode()).isEqualTo(403);
            assertThat(admin.ask("GET", topic + "/retention").statusCode()).isEqualTo(403);
            assertThat(admin.ask("DELETE", topic).statusCode()).isEqualTo(403);
            authorizer.allowed.add(Operation.DELETE);
            assertThat(admin.ask("DELETE", topic).statusCode()).isEqualTo(204);
        }
    }

    /** Clients of Pulsar take both answers for what they are. */
    @Test
    void stockClientsSayThatTheyAreNotAllowed() throws Exception {
        try (PulsarClient stock = gateway.client();
                TestAdmin admin = new TestAdmin(gateway)) {
            assertThatThrownBy(() -> stock.newProducer().topic(T).create())
                    .isInstanceOf(PulsarClientException.AuthorizationException.class);
            assertThatThrownBy(() -> admin.client().topics().getStats(T))
                    .isInstanceOf(PulsarAdminException.NotAuthorizedException.class);
        }
    }
}
