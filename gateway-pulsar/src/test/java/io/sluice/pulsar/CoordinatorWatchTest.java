package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.access.Authorizer;
import io.sluice.broker.topic.TopicName;
import io.sluice.transactions.TransactionAuthority;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandWatchTcAssignmentsUpdate;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.api.proto.TcAssignment;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where the transaction coordinators are, as Pulsar 5's clients watch it; the bytes. */
@Timeout(60)
class CoordinatorWatchTest {
    private static final TopicName STATE = TopicName.ofDefault(TransactionAuthority.STATE_TOPIC);

    private static CommandWatchTcAssignmentsUpdate watch(RawClient client, long id) throws IOException {
        client.write(Commands.newWatchTcAssignments(id));
        return update(client, id);
    }

    private static CommandWatchTcAssignmentsUpdate update(RawClient client, long id) throws IOException {
        CommandWatchTcAssignmentsUpdate update =
                client.expect(BaseCommand.Type.WATCH_TC_ASSIGNMENTS_UPDATE).getWatchTcAssignmentsUpdate();
        assertThat(update.getWatchId()).isEqualTo(id);
        return update;
    }

    private static void expectError(CommandWatchTcAssignmentsUpdate update, ServerError error, String message) {
        assertThat(update.hasSnapshot()).isFalse();
        assertThat(update.getError()).isEqualTo(error);
        assertThat(update.getMessage()).isEqualTo(message);
    }

    @Test
    void everyCoordinatorIsTold() throws Exception {
        try (TestGateway gateway = TestGateway.start();
                RawClient client = RawClient.connect(gateway)) {
            int all = Objects.requireNonNull(gateway.broker().catalogue().find(STATE))
                    .partitions()
                    .size();
            var snapshot = watch(client, 7).getSnapshot();
            assertThat(snapshot.getParallelism()).isEqualTo(all).isGreaterThan(1);
            Set<Long> told = new HashSet<>();
            for (TcAssignment each : snapshot.getAssignmentsList()) {
                told.add(each.getTcId());
                assertThat(each.getBrokerServiceUrl()).isEqualTo("pulsar://127.0.0.1:" + gateway.port());
                assertThat(each.hasBrokerServiceUrlTls()).isFalse();
            }
            assertThat(told).hasSize(all).allMatch(id -> id >= 0 && id < all);
        }
    }

    @Test
    void watchesAreBoundedAndEndWithTheConnection() throws Exception {
        try (TestGateway gateway = TestGateway.start()) {
            var watches = gateway.gateway().services().coordinators();
            try (RawClient client = RawClient.connect(gateway)) {
                for (int id = 1; id <= 10; id++) {
                    assertThat(watch(client, id).hasSnapshot()).isTrue();
                }
                expectError(
                        watch(client, 11),
                        ServerError.NotAllowedError,
                        "a connection watches transaction coordinators 10 times at most");
                assertThat(watch(client, 3).hasSnapshot())
                        .as("in its own place")
                        .isTrue();
                assertThat(watches.size()).isEqualTo(10);
                client.write(Commands.newWatchTcAssignmentsClose(1));
                client.write(Commands.newWatchTcAssignmentsClose(99));
                assertThat(watch(client, 11).hasSnapshot()).isTrue();
                assertThat(watches.size()).isEqualTo(10);
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> watches.size() == 0);
        }
    }

    @Test
    void whoMayNotLookTopicsUpIsDenied() throws Exception {
        Authorizer nobody = (who, operation, topic) -> false;
        try (TestGateway gateway = TestGateway.start(nobody);
                RawClient client = RawClient.connect(gateway)) {
            expectError(
                    watch(client, 1), ServerError.AuthorizationError, "Client is not authorized to WatchTcAssignments");
            assertThat(gateway.gateway().services().coordinators().size()).isZero();
        }
    }
}
