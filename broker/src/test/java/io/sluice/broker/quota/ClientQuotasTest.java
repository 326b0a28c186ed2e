package io.sluice.broker.quota;

import static io.sluice.broker.quota.QuotaKey.CONSUMER_BYTE_RATE;
import static io.sluice.broker.quota.QuotaKey.PRODUCER_BYTE_RATE;
import static io.sluice.broker.quota.QuotaKey.REQUEST_PERCENTAGE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.store.cluster.InMemoryMetadata;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClientQuotasTest {
    private static final Executor TASKS = task -> Thread.ofVirtual().start(task);
    private static final QuotaEntity ALICE = new QuotaEntity(new QuotaName("alice"), null);

    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final ClientQuotas quotas = new ClientQuotas(metadata, TASKS);

    @BeforeEach
    void load() throws IOException {
        quotas.load();
    }

    @AfterEach
    void close() {
        quotas.close();
        metadata.close();
    }

    private static void until(BooleanSupplier condition) {
        await().atMost(Duration.ofSeconds(30)).until(condition::getAsBoolean);
    }

    private static Map<QuotaKey, @Nullable Long> gone(QuotaKey key) {
        Map<QuotaKey, @Nullable Long> changes = new EnumMap<>(QuotaKey.class);
        changes.put(key, null);
        return changes;
    }

    @Test
    void quotasAreTheSameAfterAStartAndInOtherNodes() throws Exception {
        QuotaEntity odd = new QuotaEntity(new QuotaName("CN=a b, O=ü:*"), new QuotaName("user=x/y"));
        QuotaEntity defaults = new QuotaEntity(QuotaName.DEFAULT, QuotaName.DEFAULT);
        try (ClientQuotas other = new ClientQuotas(metadata, TASKS)) {
            other.load();
            assertThat(other.hasAny(PRODUCER_BYTE_RATE)).isFalse();
            quotas.change(odd, Map.of(PRODUCER_BYTE_RATE, 1L, CONSUMER_BYTE_RATE, Long.MAX_VALUE));
            until(() -> other.all().containsKey(odd));
            assertThat(other.hasAny(PRODUCER_BYTE_RATE)).isTrue();
            assertThat(other.hasAny(REQUEST_PERCENTAGE)).isFalse();
            other.change(defaults, Map.of(PRODUCER_BYTE_RATE, 7L));
            other.change(odd, gone(PRODUCER_BYTE_RATE));
            other.change(odd, gone(PRODUCER_BYTE_RATE));
            until(() -> quotas.all()
                    .equals(Map.of(
                            odd,
                            Map.of(CONSUMER_BYTE_RATE, Long.MAX_VALUE),
                            defaults,
                            Map.of(PRODUCER_BYTE_RATE, 7L))));
        }
        quotas.change(defaults, gone(PRODUCER_BYTE_RATE));
        try (ClientQuotas again = new ClientQuotas(metadata, TASKS)) {
            again.load();
            assertThat(again.all()).isEqualTo(Map.of(odd, Map.of(CONSUMER_BYTE_RATE, Long.MAX_VALUE)));
        }
        quotas.change(odd, gone(CONSUMER_BYTE_RATE));
        assertThat(quotas.hasAny(PRODUCER_BYTE_RATE)).isFalse();
        assertThat(quotas.hasAny(CONSUMER_BYTE_RATE)).isFalse();
    }

    @Test
    void changesOfTwoNodesAtTheSameTimeAreBothKept() throws Exception {
        try (ClientQuotas other = new ClientQuotas(metadata, TASKS)) {
            // hears of nothing: what it has in memory is old
            quotas.change(ALICE, Map.of(PRODUCER_BYTE_RATE, 1L));
            other.change(ALICE, Map.of(CONSUMER_BYTE_RATE, 2L));
            assertThat(other.all().get(ALICE)).isEqualTo(Map.of(PRODUCER_BYTE_RATE, 1L, CONSUMER_BYTE_RATE, 2L));
        }
    }

    @Test
    void whatCannotHaveAQuotaIsRefused() throws Exception {
        for (String name : new String[] {"", "a\nb", "x".repeat(ClientQuotas.LONGEST_NAME + 1)}) {
            assertThatThrownBy(() ->
                            quotas.change(new QuotaEntity(null, new QuotaName(name)), Map.of(PRODUCER_BYTE_RATE, 1L)))
                    .isInstanceOf(ClientQuotas.RefusedException.class);
        }
        assertThatThrownBy(() -> quotas.change(ALICE, Map.of(PRODUCER_BYTE_RATE, 0L)))
                .isInstanceOf(ClientQuotas.RefusedException.class)
                .hasMessageContaining("producer_byte_rate");
        assertThat(quotas.all()).isEmpty();
        for (int i = 0; i < ClientQuotas.MOST_ENTITIES; i++) {
            quotas.change(new QuotaEntity(null, new QuotaName("app-" + i)), Map.of(PRODUCER_BYTE_RATE, 1L));
        }
        assertThatThrownBy(() -> quotas.change(ALICE, Map.of(PRODUCER_BYTE_RATE, 1L)))
                .isInstanceOf(ClientQuotas.RefusedException.class)
                .hasMessageContaining("room");
        quotas.change(ALICE, gone(PRODUCER_BYTE_RATE));
        quotas.change(new QuotaEntity(null, new QuotaName("app-0")), Map.of(PRODUCER_BYTE_RATE, 2L));
    }

    /** An earlier server cannot keep to it, and stops at that alone. */
    @Test
    void onlyAQuotaOfTimeMakesARecordOfVersion2() throws Exception {
        quotas.change(ALICE, Map.of(PRODUCER_BYTE_RATE, 5L));
        assertThat(stored()).isEqualTo("1\nproducer_byte_rate 5\n");
        quotas.change(ALICE, Map.of(REQUEST_PERCENTAGE, REQUEST_PERCENTAGE.limit(0.25)));
        assertThat(stored()).isEqualTo("2\nproducer_byte_rate 5\nrequest_percentage 2500000\n");
        try (ClientQuotas other = new ClientQuotas(metadata, TASKS)) {
            other.load();
            assertThat(other.all()).isEqualTo(quotas.all());
            assertThat(other.hasAny(REQUEST_PERCENTAGE)).isTrue();
        }
        quotas.change(ALICE, gone(REQUEST_PERCENTAGE));
        assertThat(stored()).isEqualTo("1\nproducer_byte_rate 5\n");
        assertThat(quotas.hasAny(REQUEST_PERCENTAGE)).isFalse();
    }

    private String stored() throws IOException {
        var there = metadata.get("/sluice/quotas/" + QuotaRecord.nameOf(ALICE));
        return new String(Objects.requireNonNull(there).value(), UTF_8);
    }

    @Test
    void aRecordOfALaterServerIsNotMisread() throws Exception {
        String path = "/sluice/quotas/" + QuotaRecord.nameOf(ALICE);
        for (String stored :
                new String[] {"3\n", "1\nrequest_percentage 10\n", "2\nno_such_rate 1\n", "1\nproducer_byte_rate x\n"
                }) {
            metadata.putLast(path, stored.getBytes(UTF_8));
            try (ClientQuotas other = new ClientQuotas(metadata, TASKS)) {
                assertThatThrownBy(other::load).isInstanceOf(IOException.class).hasMessageContaining("alice");
            }
        }
    }
}
