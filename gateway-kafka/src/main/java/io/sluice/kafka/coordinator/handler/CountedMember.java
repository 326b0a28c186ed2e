package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.identity.UserSubscriptions;
import io.sluice.broker.identity.UserSubscriptions.Member;
import io.sluice.kafka.api.RequestContext;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * A member of a group as one of its user's subscriptions: in one request, which may wait. A member counts from its first successful join until it
 * leaves, or its session ends, whatever becomes of its connection: the coordinator keeps it for as long. Any thread.
 */
final class CountedMember {
    /** Session of classic members whose own is not known, which have joined at another node: the default of Kafka's clients. */
    private static final long SESSION_MILLIS = 45_000;

    private final UserSubscriptions subscriptions;
    private final RequestContext context;
    private final String group;
    private final @Nullable String instance;
    private final String memberId;

    CountedMember(RequestContext context, String group, @Nullable String instance, String memberId) {
        this.subscriptions = context.connection().subscriptions();
        this.context = context;
        this.group = group;
        this.instance = instance;
        this.memberId = memberId;
    }

    private Member named(String id) {
        return Member.of(group, instance, id);
    }

    private String user() {
        return context.principal().name();
    }

    /** Answer of the coordinator. */
    record Told(short error, String memberId) {}

    /** Makes a {@link Told} of an answer. */
    interface Reading<T> {
        Told read(T answer);
    }

    /**
     * Joins, if the user has room for another member or has this one.
     *
     * @param sessionMillis for which the member is one without being heard of
     * @param longestMillis for which the answer may wait beyond that
     * @return null if the user has as many as it may have; nothing was asked
     */
    <T> @Nullable CompletableFuture<T> join(
            long sessionMillis, long longestMillis, Supplier<CompletableFuture<T>> question, Reading<T> reading) {
        if (!subscriptions.isBounded()) {
            return asked(question);
        }
        Member known = named(memberId);
        if (subscriptions.has(user(), known)) {
            subscriptions.join(user(), known, sessionMillis + longestMillis);
            return asked(question)
                    .whenComplete((told, failed) -> settle(told == null ? null : reading.read(told), sessionMillis));
        }
        if (!subscriptions.open(context.principal())) {
            return null;
        }
        // a place until it is known whether, and under which id, it is a member
        return asked(question).whenComplete((told, failed) -> {
            subscriptions.close(user());
            settle(told == null ? null : reading.read(told), sessionMillis);
        });
    }

    /** Answer to the question, also if that throws. */
    private static <T> CompletableFuture<T> asked(Supplier<CompletableFuture<T>> question) {
        try {
            return question.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Step that a heartbeat of the newer protocols asks for, by its member epoch. */
    enum Step {
        JOIN,
        STAY,
        LEAVE;

        static Step of(int memberEpoch) {
            return memberEpoch == 0 ? JOIN : memberEpoch == -1 ? LEAVE : STAY;
        }
    }

    /**
     * Answers a heartbeat, and counts the member by what it is told.
     *
     * @param refused answer to one whose user has as many subscriptions as it may have, of a message for people
     */
    <T extends ApiMessage> void heartbeat(
            Step step,
            long sessionMillis,
            Supplier<CompletableFuture<T>> question,
            Reading<T> reading,
            Function<String, T> refused) {
        if (step == Step.JOIN) {
            CompletableFuture<T> answer = join(sessionMillis, 0, question, reading);
            if (answer == null) {
                context.complete(refused.apply(refusal()));
            } else {
                Answers.send(context, () -> answer);
            }
            return;
        }
        Answers.send(context, question, told -> {
            short error = reading.read(told).error();
            if (step == Step.LEAVE && error == Errors.NONE.code()) {
                left();
            } else {
                heard(error, sessionMillis);
            }
            return told;
        });
    }

    private void settle(@Nullable Told told, long sessionMillis) {
        if (told == null) {
            return;
        }
        if (told.error() == Errors.NONE.code()) {
            subscriptions.join(user(), named(told.memberId()), sessionMillis);
        } else {
            heard(told.error(), sessionMillis);
        }
    }

    /** The coordinator has answered a member of a classic group. */
    void heard(short error) {
        heard(error, SESSION_MILLIS);
    }

    /** @param sessionMillis of the member, if it has joined at another node */
    void heard(short error, long sessionMillis) {
        if (!subscriptions.isBounded()) {
            return;
        }
        switch (Errors.forCode(error)) {
            case NONE, REBALANCE_IN_PROGRESS -> subscriptions.renew(user(), named(memberId), sessionMillis);
            case UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID, FENCED_MEMBER_EPOCH -> left();
            default -> {}
        }
    }

    void left() {
        subscriptions.leave(user(), named(memberId));
    }

    String refusal() {
        return subscriptions.refusal();
    }
}
