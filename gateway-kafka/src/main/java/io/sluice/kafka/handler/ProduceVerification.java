package io.sluice.kafka.handler;

import io.sluice.broker.log.LoopQuestion;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions.Verification;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;

/**
 * Question to the coordinator before the first batch of a producer's transaction is appended to a partition (KIP-890). Batches of the same
 * producer that come meanwhile wait behind the first, and are appended or refused with it: all of them are in sequence. The marker of the
 * producer's last transaction may come before the answer; then the coordinator is asked again. Loop only.
 */
final class ProduceVerification implements LoopQuestion.Asker<Errors> {
    /** For a batch; after the last answer the partition refuses it if its transaction has ended. */
    static final int MOST_QUESTIONS = 3;

    /** For batches that were verified with an earlier one, which took the last room. */
    private static final StoreFailure NO_ROOM =
            new StoreFailure.Overloaded("the store is full: long-term storage is behind");

    private final ProducePart first;
    private final PartitionLog log;
    private final Verification asked;
    private List<ProducePart> behind = List.of();

    private ProduceVerification(ProducePart first, PartitionLog log, Verification asked) {
        this.first = first;
        this.log = log;
        this.asked = asked;
    }

    /**
     * Has the part appended once the coordinator has said yes, in its order among the producer's batches.
     *
     * @param firstSequence with which the producer may begin here
     */
    static void ask(
            ProducePart part, PartitionLog log, ProduceTransaction of, long producer, short epoch, int firstSequence) {
        Verification asked = log.transactions().verify(producer, epoch);
        asked.beginsWith(firstSequence);
        if (asked.asker() instanceof ProduceVerification underWay) {
            underWay.add(part);
            return;
        }
        var verification = new ProduceVerification(part, log, asked);
        asked.askedBy(verification);
        LoopQuestion.ask(log.container(), answer -> of.verify(asked, answer), verification);
    }

    private void add(ProducePart later) {
        if (behind.isEmpty()) {
            behind = new ArrayList<>();
        }
        behind.add(later);
    }

    @Override
    public void answered(Errors answer) {
        asked.answered();
        if (answer != Errors.NONE) {
            first.unverified(answer);
            behind.forEach(part -> part.unverified(answer));
            return;
        }
        if (log.transactions().verified(asked) || !first.takeQuestion()) {
            first.append();
        } else {
            first.run();
        }
        for (ProducePart part : behind) {
            if (log.container().hasRoomForAppend()) {
                part.run();
            } else {
                part.abandoned(NO_ROOM); // sent again, in sequence
            }
        }
    }

    @Override
    public void abandoned(StoreFailure why) {
        asked.answered();
        first.abandoned(why);
        behind.forEach(part -> part.abandoned(why));
    }
}
