package io.sluice.pulsar.dispatch;

import io.sluice.broker.log.LoopQuestion;
import io.sluice.broker.subscription.Cursor;
import io.sluice.pulsar.dispatch.TransactionalAcks.Refusal;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;

/**
 * Questions to coordinators about the transactions in which messages of a subscription are acknowledged for the first time, or by a
 * consumer for the first time. Requests of the same user in the same transaction that come meanwhile wait behind the first, in their
 * order. Loop only.
 */
final class AckVerifications {
    /** Requests that wait for an answer; those beyond are refused. */
    static final int MOST_WAITING = 1_000;

    /** How often it is asked when the transaction's end comes before the answer. */
    private static final int MOST_QUESTIONS = 3;

    private final SegmentContainer container;
    private final Cursor cursor;
    private final Runnable settled;
    private final Map<About, Question> questions = new HashMap<>(4);
    private int waiting;

    /** @param user null for those that may use all transactions */
    private record About(long transaction, @Nullable String user) {}

    /** @param settled called after requests were settled that had waited for a later turn */
    AckVerifications(SegmentContainer container, Cursor cursor, Runnable settled) {
        this.container = container;
        this.cursor = cursor;
        this.settled = settled;
    }

    /** Has the request's acknowledgements made pending once the coordinator has said yes. */
    void ask(TransactionalAcks request) {
        if (waiting >= MOST_WAITING) {
            request.reply()
                    .refused(new Refusal(
                            ServerError.TooManyRequests,
                            "more than " + MOST_WAITING + " acknowledgements in transactions wait for coordinators"));
            return;
        }
        waiting++;
        var about = new About(request.transaction(), request.reply().user());
        Question underWay = questions.get(about);
        if (underWay != null) {
            underWay.requests.add(request);
            return;
        }
        Question question = new Question(about);
        question.requests.add(request);
        questions.put(about, question);
        cursor.watch(question);
        question.ask();
    }

    private final class Question implements LoopQuestion.Asker<@Nullable Refusal>, Cursor.EndWatch {
        private final About about;
        private final List<TransactionalAcks> requests = new ArrayList<>(1);
        private int left = MOST_QUESTIONS;
        private boolean ended;
        private boolean waits;

        Question(About about) {
            this.about = about;
        }

        void ask() {
            left--;
            ended = false;
            LoopQuestion.ask(container, answer -> requests.getFirst().reply().verify(answer), this);
            waits = true;
        }

        @Override
        public long transaction() {
            return about.transaction;
        }

        @Override
        public void ended() {
            ended = true;
        }

        /** Acknowledging frees memory: it does not wait until there is room for appends. */
        @Override
        public boolean appends() {
            return false;
        }

        @Override
        public void answered(@Nullable Refusal why) {
            if (why == null && ended && left > 0) {
                ask();
                return;
            }
            end();
            Refusal refusal = why == null && ended
                    ? new Refusal(ServerError.TransactionConflict, "the transaction has just ended")
                    : why;
            if (refusal != null) {
                requests.forEach(each -> each.reply().refused(refusal));
            } else {
                requests.forEach(each -> each.reply().verified());
                requests.getFirst().makePending();
                requests.subList(1, requests.size()).forEach(TransactionalAcks::apply);
            }
            if (waits) {
                settled.run();
            }
        }

        @Override
        public void abandoned(StoreFailure why) {
            end();
            requests.forEach(each -> each.reply().done(why));
        }

        private void end() {
            cursor.unwatch(this);
            questions.remove(about);
            waiting -= requests.size();
        }
    }
}
