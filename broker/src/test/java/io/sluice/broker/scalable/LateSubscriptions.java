package io.sluice.broker.scalable;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Subscriptions that begin behind what is there, made on segments that may be sealed before or meanwhile: they miss nothing sent after. */
final class LateSubscriptions {
    /** In one run; each is a cursor in every segment. */
    private static final int MOST = 6;

    private final Subscribing subscribing;
    private final Function<ScalableSegment, @Nullable PartitionLog> logs;
    private final List<Promise> promises = new ArrayList<>();
    private int made;
    private @Nullable Throwable refused;

    /** @param from the first message of the key that it must have */
    private record Promise(String name, int key, int from) {}

    /** Where a message lies. */
    record Lies(ScalableSegment segment, long offset) {}

    interface Subscribing {
        CompletableFuture<?> to(ScalableSegment segment, String name);
    }

    LateSubscriptions(Subscribing subscribing, Function<ScalableSegment, @Nullable PartitionLog> logs) {
        this.subscribing = subscribing;
        this.logs = logs;
    }

    /** @param next of a key, the first message that nobody has tried to send yet */
    void begin(int key, ScalableSegment on, IntUnaryOperator next) {
        if (made == MOST) {
            return;
        }
        String name = "late" + made++;
        subscribing.to(on, name).whenComplete((done, why) -> {
            if (why == null) {
                promises.add(new Promise(name, key, next.applyAsInt(key)));
            } else if (!(why instanceof TopicException e
                    && (e.reason() == Reason.UNAVAILABLE || e.reason() == Reason.NOT_FOUND))) {
                refused = why;
            }
        });
    }

    interface Messages {
        /** Null if there is no such message. */
        @Nullable
        Lies find(int key, int n);
    }

    void check(Messages messages) {
        if (refused != null) {
            throw new AssertionError("a subscription was refused", refused);
        }
        for (Promise p : promises) {
            int n = p.from();
            for (Lies at = messages.find(p.key(), n); at != null; at = messages.find(p.key(), ++n)) {
                PartitionLog log = logs.apply(at.segment());
                Cursor cursor = log == null ? null : log.subscriptions().find(p.name());
                if (cursor == null) {
                    throw new AssertionError("segment " + at.segment().descriptor() + " lacks " + p.name()
                            + ", which is to have message " + n);
                }
                if (cursor.nextUnacked(at.offset()) != at.offset()) {
                    throw new AssertionError(p.name() + " has passed message " + n + " of key " + p.key());
                }
            }
        }
    }

    /** That were made, and answered. */
    int count() {
        return promises.size();
    }
}
