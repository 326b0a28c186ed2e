package io.sluice.broker.identity;

import io.sluice.broker.access.AuditLog;
import io.sluice.broker.access.Principal;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the subscriptions of each user over all protocols, so that one alone cannot take all there is. There are two kinds: consumers, which
 * count until they are closed, and members of groups, which count until they leave, or were not heard of for their session's time. Any thread.
 */
public final class UserSubscriptions {
    /** Users may have any number; nothing is counted. */
    public static final UserSubscriptions UNBOUNDED = new UserSubscriptions(0, new AuditLog());

    private static final long SWEEP_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final int most;
    private final AuditLog audit;
    private final LongSupplier nanoTime;
    private final AtomicLong sweptAt;
    /** A value is changed by its map's {@code compute} only. */
    private final ConcurrentMap<String, Held> byUser = new ConcurrentHashMap<>();

    /**
     * A member of a group.
     *
     * @param instance that it says it is for good; null if it is none
     * @param id as the coordinator knows it; empty where there is an instance, which has one after the other
     */
    public record Member(String group, @Nullable String instance, String id) {
        public static Member of(String group, @Nullable String instance, String id) {
            return new Member(group, instance, instance == null ? id : "");
        }
    }

    private record Session(long millis, long end) {}

    private static final class Held {
        int consumers;
        final Map<Member, Session> members = new HashMap<>(2);

        int count() {
            return consumers + members.size();
        }

        void dropEnded(long now) {
            members.values().removeIf(session -> session.end() - now <= 0);
        }

        @Nullable
        Held orNone() {
            return count() == 0 ? null : this;
        }
    }

    /** @param most of one user; 0 for any number */
    UserSubscriptions(int most, AuditLog audit) {
        this(most, audit, System::nanoTime);
    }

    /** @param nanoTime a clock that only rises, in nanoseconds */
    UserSubscriptions(int most, AuditLog audit, LongSupplier nanoTime) {
        this.most = most;
        this.audit = audit;
        this.nanoTime = nanoTime;
        this.sweptAt = new AtomicLong(nanoTime.getAsLong());
    }

    /** Whether there is a bound. Without one the other methods do nothing. */
    public boolean isBounded() {
        return most > 0;
    }

    /** Why a client is refused, as it is told. */
    public String refusal() {
        return "the user has " + most + " subscriptions, which is as many as it may have";
    }

    /** Counts a consumer; false if the user has as many subscriptions as it may have, and then {@link #close} is not to be called. */
    public boolean open(Principal who) {
        if (!isBounded()) {
            return true;
        }
        boolean[] room = {false};
        byUser.compute(who.name(), (_, there) -> {
            Held held = there == null ? new Held() : there;
            if (held.count() >= most) {
                held.dropEnded(nanoTime.getAsLong());
            }
            room[0] = held.count() < most;
            held.consumers += room[0] ? 1 : 0;
            return held.orNone();
        });
        if (!room[0]) {
            audit.refused(who, refusal());
        }
        return room[0];
    }

    /** A consumer that was counted is closed. */
    public void close(String user) {
        byUser.computeIfPresent(user, (_, held) -> {
            held.consumers--;
            return held.orNone();
        });
    }

    /** Whether this member is counted. */
    public boolean has(String user, Member member) {
        boolean[] has = {false};
        byUser.computeIfPresent(user, (_, held) -> {
            has[0] = held.members.containsKey(member);
            return held;
        });
        return has[0];
    }

    /**
     * Counts a member of a group anew, whether there is room for it or not.
     *
     * @param millis after which it is no member any more, unless it is heard of
     */
    public void join(String user, Member member, long millis) {
        if (isBounded()) {
            byUser.compute(user, (_, there) -> put(there == null ? new Held() : there, member, millis));
            sweep();
        }
    }

    /**
     * A member was heard of. One that is not counted, for it joined at another node or before a start, is from now on.
     *
     * @param millis of its session, if that is not known
     */
    public void renew(String user, Member member, long millis) {
        if (isBounded()) {
            byUser.compute(user, (_, there) -> {
                Held held = there == null ? new Held() : there;
                Session known = held.members.get(member);
                return put(held, member, known == null ? millis : known.millis());
            });
            sweep();
        }
    }

    private Held put(Held held, Member member, long millis) {
        held.members.put(member, new Session(millis, nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(millis)));
        return held;
    }

    /** The member has left. */
    public void leave(String user, Member member) {
        byUser.computeIfPresent(user, (_, held) -> {
            held.members.remove(member);
            return held.orNone();
        });
    }

    /** Forgets members that are none any more, of users that ask for nothing. */
    private void sweep() {
        long now = nanoTime.getAsLong();
        long last = sweptAt.get();
        if (now - last >= SWEEP_NANOS && sweptAt.compareAndSet(last, now)) {
            for (String user : byUser.keySet()) {
                byUser.computeIfPresent(user, (_, held) -> {
                    held.dropEnded(now);
                    return held.orNone();
                });
            }
        }
    }

    /** Users of whom anything is counted. */
    int users() {
        return byUser.size();
    }
}
