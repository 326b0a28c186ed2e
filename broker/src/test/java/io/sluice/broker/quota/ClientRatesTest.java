package io.sluice.broker.quota;

import static io.sluice.broker.quota.QuotaKey.CONSUMER_BYTE_RATE;
import static io.sluice.broker.quota.QuotaKey.PRODUCER_BYTE_RATE;
import static io.sluice.broker.quota.QuotaKey.REQUEST_PERCENTAGE;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which quota holds for a client, and how long it pauses, by a clock of the test's. */
class ClientRatesTest {
    private static final QuotaName ALICE = new QuotaName("alice");
    private static final QuotaName APP = new QuotaName("app");

    private final Fixed quotas = new Fixed();
    private long nanos;
    private final ClientRates rates = new ClientRates(quotas, () -> nanos);

    /** Quotas of producers, and of time. */
    private static final class Fixed implements QuotaSource {
        private final Map<QuotaEntity, Long> limits = new HashMap<>();

        @Override
        public boolean hasAny(QuotaKey key) {
            return !limits.isEmpty();
        }

        @Override
        public @Nullable Long limit(QuotaEntity entity, QuotaKey key) {
            return key == CONSUMER_BYTE_RATE ? null : limits.get(entity);
        }
    }

    private long produce(String user, String clientId, long bytes) {
        return rates.took(PRODUCER_BYTE_RATE, user, clientId, bytes);
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }

    @Test
    void theFirstOfKafkasEightEntitiesCounts() {
        List<QuotaEntity> inOrder = List.of(
                new QuotaEntity(ALICE, APP),
                new QuotaEntity(ALICE, QuotaName.DEFAULT),
                new QuotaEntity(ALICE, null),
                new QuotaEntity(QuotaName.DEFAULT, APP),
                new QuotaEntity(QuotaName.DEFAULT, QuotaName.DEFAULT),
                new QuotaEntity(QuotaName.DEFAULT, null),
                new QuotaEntity(null, APP),
                new QuotaEntity(null, QuotaName.DEFAULT));
        List<QuotaShare> shares = new ArrayList<>();
        for (int i = inOrder.size() - 1; i >= 0; i--) {
            quotas.limits.put(inOrder.get(i), i + 1L);
            shares.addFirst(QuotaPrecedence.find(quotas, PRODUCER_BYTE_RATE, "alice", "app"));
        }
        assertThat(shares)
                .containsExactly(
                        new QuotaShare(PRODUCER_BYTE_RATE, "alice", "app", 1),
                        new QuotaShare(PRODUCER_BYTE_RATE, "alice", "app", 2),
                        new QuotaShare(PRODUCER_BYTE_RATE, "alice", "", 3),
                        new QuotaShare(PRODUCER_BYTE_RATE, "alice", "app", 4),
                        new QuotaShare(PRODUCER_BYTE_RATE, "alice", "app", 5),
                        new QuotaShare(PRODUCER_BYTE_RATE, "alice", "", 6),
                        new QuotaShare(PRODUCER_BYTE_RATE, "", "app", 7),
                        new QuotaShare(PRODUCER_BYTE_RATE, "", "app", 8));
        assertThat(QuotaPrecedence.find(quotas, PRODUCER_BYTE_RATE, "bob", ""))
                .isEqualTo(new QuotaShare(PRODUCER_BYTE_RATE, "bob", "", 5));
        assertThat(QuotaPrecedence.find(quotas, CONSUMER_BYTE_RATE, "alice", "app"))
                .isNull();
    }

    @Test
    void aClientPausesUntilWhatItTookIsPaidFor() {
        quotas.limits.put(new QuotaEntity(ALICE, null), 1_000L);
        assertThat(produce("alice", "app", 900)).isZero();
        assertThat(produce("alice", "app", 3_100)).isBetween(3_000L, 3_005L);
        assertThat(produce("bob", "app", 1 << 30)).isZero();
        pass(Duration.ofMillis(2_000));
        assertThat(produce("alice", "other", 0)).isBetween(1_000L, 1_005L);
        pass(Duration.ofMillis(2_000));
        assertThat(produce("alice", "app", 0)).isZero();
        assertThat(rates.took(CONSUMER_BYTE_RATE, "alice", "app", 1 << 30)).isZero();
    }

    @Test
    void aPauseForTimeEndsAfterASecondThoughTheTimeIsNotPaidFor() {
        quotas.limits.put(new QuotaEntity(ALICE, null), REQUEST_PERCENTAGE.limit(10));
        assertThat(rates.took(REQUEST_PERCENTAGE, "alice", "app", 90_000_000)).isZero();
        assertThat(rates.took(REQUEST_PERCENTAGE, "alice", "app", 60_000_000)).isBetween(500L, 505L);
        assertThat(rates.took(REQUEST_PERCENTAGE, "alice", "app", 1_000_000_000))
                .isEqualTo(1_000);
        pass(Duration.ofSeconds(1));
        assertThat(rates.took(REQUEST_PERCENTAGE, "alice", "other", 1)).isEqualTo(1_000);
        pass(Duration.ofSeconds(10));
        assertThat(rates.took(REQUEST_PERCENTAGE, "alice", "app", 0)).isZero();
    }

    @Test
    void byADefaultEachClientHasABucketOfItsOwn() {
        quotas.limits.put(new QuotaEntity(null, QuotaName.DEFAULT), 1_000L);
        assertThat(produce("alice", "app", 2_000)).isPositive();
        assertThat(produce("alice", "other", 500)).isZero();
        assertThat(produce("bob", "app", 0)).isPositive();

        quotas.limits.put(new QuotaEntity(QuotaName.DEFAULT, null), 1_000L);
        assertThat(produce("alice", "app", 2_000)).isPositive();
        assertThat(produce("alice", "other", 0)).isPositive();
        assertThat(produce("bob", "app", 500)).isZero();
    }

    @Test
    void aProtocolWithoutClientIdsHasTheQuotasOfUsersAndSharesThem() {
        quotas.limits.put(new QuotaEntity(null, QuotaName.DEFAULT), 1L);
        quotas.limits.put(new QuotaEntity(ALICE, QuotaName.DEFAULT), 1L);
        quotas.limits.put(new QuotaEntity(QuotaName.DEFAULT, QuotaName.DEFAULT), 1L);
        assertThat(rates.took(PRODUCER_BYTE_RATE, "alice", null, 1 << 30)).isZero();
        quotas.limits.clear();
        quotas.limits.put(new QuotaEntity(QuotaName.DEFAULT, null), 1_000L);
        quotas.limits.put(new QuotaEntity(ALICE, null), 10_000L);
        assertThat(produce("alice", "app", 20_000)).isPositive();
        assertThat(rates.took(PRODUCER_BYTE_RATE, "alice", null, 0)).isPositive();
        assertThat(rates.took(PRODUCER_BYTE_RATE, "bob", null, 500)).isZero();
        assertThat(rates.took(PRODUCER_BYTE_RATE, "bob", null, 1_500)).isPositive();
    }

    @Test
    void aChangedQuotaBeginsAnewAndOneThatGoesHoldsNobody() {
        QuotaEntity alice = new QuotaEntity(ALICE, null);
        quotas.limits.put(alice, 10L);
        assertThat(produce("alice", "app", 10_000)).isGreaterThan(900_000);
        quotas.limits.put(alice, 20_000L);
        assertThat(produce("alice", "app", 10_000)).isZero();
        quotas.limits.clear();
        assertThat(produce("alice", "app", 1 << 30)).isZero();
    }

    @Test
    void aReaderIsGivenASecondsWorthAtOnce() {
        assertThat(rates.atOnce(PRODUCER_BYTE_RATE, "alice", "app", 5_000)).isEqualTo(5_000);
        quotas.limits.put(new QuotaEntity(ALICE, APP), 1_000L);
        assertThat(rates.atOnce(PRODUCER_BYTE_RATE, "alice", "app", 5_000)).isEqualTo(1_000);
        assertThat(rates.atOnce(PRODUCER_BYTE_RATE, "alice", "app", 500)).isEqualTo(500);
        assertThat(rates.atOnce(PRODUCER_BYTE_RATE, "alice", "other", 5_000)).isEqualTo(5_000);
    }

    @Test
    void bucketsAreBoundedAndGoWhenNobodyUsesThem() {
        quotas.limits.put(new QuotaEntity(null, QuotaName.DEFAULT), 1_000L);
        for (int i = 0; i < 30_000; i++) {
            produce("alice", "app-" + i, 1);
        }
        assertThat(rates.buckets()).isBetween(1L, 20_000L);
        pass(Duration.ofMinutes(61));
        assertThat(rates.buckets()).isZero();
    }
}
