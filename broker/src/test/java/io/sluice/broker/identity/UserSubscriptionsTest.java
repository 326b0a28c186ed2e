package io.sluice.broker.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.access.AuditLog;
import io.sluice.broker.access.Principal;
import io.sluice.broker.identity.UserSubscriptions.Member;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class UserSubscriptionsTest {
    private static final long SESSION = 10_000;
    private static final Principal ALICE = new Principal("alice");
    private static final Principal BOB = new Principal("bob");

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5); // a clock may turn over
    private final UserSubscriptions subscriptions = new UserSubscriptions(2, new AuditLog(), now::get);

    private void pass(long millis) {
        now.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Test
    void consumersCountUntilTheyAreClosed() {
        assertThat(subscriptions.open(ALICE)).isTrue();
        assertThat(subscriptions.open(ALICE)).isTrue();
        pass(TimeUnit.DAYS.toMillis(1));
        assertThat(subscriptions.open(ALICE)).isFalse();
        assertThat(subscriptions.open(BOB)).isTrue();
        subscriptions.close("alice");
        assertThat(subscriptions.open(ALICE)).isTrue();
        assertThat(subscriptions.open(ALICE)).isFalse();
    }

    @Test
    void membersCountUntilTheyLeaveOrTheirSessionEnds() {
        Member one = Member.of("group", null, "one");
        Member two = Member.of("group", null, "two");
        subscriptions.join("alice", one, SESSION);
        subscriptions.join("alice", two, SESSION);
        assertThat(subscriptions.open(ALICE)).isFalse();
        subscriptions.leave("alice", two);
        subscriptions.leave("alice", two);
        assertThat(subscriptions.open(ALICE)).isTrue();
        pass(SESSION - 1);
        subscriptions.renew("alice", one, 1);
        pass(SESSION - 1);
        assertThat(subscriptions.open(ALICE)).isFalse();
        pass(1);
        assertThat(subscriptions.open(ALICE)).isTrue();
        assertThat(subscriptions.has("alice", one)).isFalse();
    }

    @Test
    void aMemberThatIsThereIsCountedWithoutRoom() {
        subscriptions.open(ALICE);
        subscriptions.open(ALICE);
        Member one = Member.of("group", null, "one");
        subscriptions.renew("alice", one, SESSION);
        assertThat(subscriptions.has("alice", one)).isTrue();
        subscriptions.close("alice");
        assertThat(subscriptions.open(ALICE)).isFalse();
    }

    @Test
    void anInstanceIsOneMemberWhateverItsIds() {
        Member one = Member.of("group", "instance", "one");
        subscriptions.join("alice", one, SESSION);
        subscriptions.join("alice", Member.of("group", "instance", "two"), SESSION);
        subscriptions.join("alice", Member.of("group", null, ""), SESSION);
        subscriptions.leave("alice", one);
        assertThat(subscriptions.open(ALICE)).isTrue();
        assertThat(subscriptions.open(ALICE)).isFalse();
    }

    @Test
    void usersThatAskForNothingAreForgotten() {
        for (int i = 0; i < 100; i++) {
            subscriptions.join("user " + i, Member.of("group", null, "one"), SESSION);
        }
        assertThat(subscriptions.users()).isEqualTo(100);
        pass(TimeUnit.MINUTES.toMillis(1));
        subscriptions.join("alice", Member.of("group", null, "one"), SESSION);
        assertThat(subscriptions.users()).isEqualTo(1);
        subscriptions.open(BOB);
        subscriptions.close("bob");
        assertThat(subscriptions.users()).isEqualTo(1);
    }

    @Test
    void withoutABoundNothingIsCounted() {
        UserSubscriptions any = UserSubscriptions.UNBOUNDED;
        for (int i = 0; i < 100; i++) {
            assertThat(any.open(ALICE)).isTrue();
            any.join("alice", Member.of("group", null, "one"), SESSION);
        }
        assertThat(any.users()).isZero();
    }
}
