package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.kafka.api.KafkaServices;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * A gateway whose authorizer denies what a test says, and what its answers are held against. Two topics are there,
 * {@code open} and {@code secret}; two are not, {@code gone} and {@code secret-gone}.
 */
@Timeout(90)
abstract class AccessTest {
    static final List<String> NAMES = List.of("open", "secret", "gone", "secret-gone");

    final DenyingAuthorizer authorizer = new DenyingAuthorizer();
    final Uuid unknownId = Uuid.randomUuid();
    TestGateway server;
    RawClient client;
    Uuid open;
    Uuid secret;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway(authorizer);
        open = KafkaServices.kafkaId(server.broker.createTopic("open", 1));
        secret = KafkaServices.kafkaId(server.broker.createTopic("secret", 1));
        client = new RawClient(server.port);
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        server.close();
        assertThat(authorizer.asked()).containsExactly(Principal.anonymous("PLAINTEXT", "127.0.0.1"));
    }

    ByteBufferAccessor call(ApiKeys api, int version, ApiMessage request) throws Exception {
        return client.call(api, (short) version, request);
    }

    /** What an API answers for each of {@link #NAMES}. */
    interface Api {
        Map<String, Errors> errors() throws Exception;
    }

    /** Denied by this operation, whether the topic is there or not, and by no other. */
    void assertDeniedBy(Operation operation, Errors found, Errors missing, Api api) throws Exception {
        authorizer.deny(EnumSet.of(operation));
        assertThat(api.errors())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "open",
                        found,
                        "secret",
                        Errors.TOPIC_AUTHORIZATION_FAILED,
                        "gone",
                        missing,
                        "secret-gone",
                        Errors.TOPIC_AUTHORIZATION_FAILED));
        authorizer.deny(EnumSet.complementOf(EnumSet.of(operation)));
        assertThat(api.errors())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("open", found, "secret", found, "gone", missing, "secret-gone", missing));
    }

    void assertDeniedBy(Operation operation, Api api) throws Exception {
        assertDeniedBy(operation, Errors.NONE, Errors.UNKNOWN_TOPIC_OR_PARTITION, api);
    }

    /** Of topics that are asked for by id. */
    void assertIdsDeniedBy(Operation operation, Ids api) throws Exception {
        authorizer.deny(EnumSet.of(operation));
        assertThat(api.errors(List.of(open, secret, unknownId)))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        open, Errors.NONE,
                        secret, Errors.TOPIC_AUTHORIZATION_FAILED,
                        unknownId, Errors.UNKNOWN_TOPIC_ID));
        authorizer.deny(EnumSet.complementOf(EnumSet.of(operation)));
        assertThat(api.errors(List.of(open, secret)))
                .containsExactlyInAnyOrderEntriesOf(Map.of(open, Errors.NONE, secret, Errors.NONE));
    }

    interface Ids {
        Map<Uuid, Errors> errors(List<Uuid> ids) throws Exception;
    }
}
