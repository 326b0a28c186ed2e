package io.sluice.pulsar.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.apache.pulsar.client.api.transaction.TxnID;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandNewTxnResponse;
import org.apache.pulsar.common.api.proto.MessageIdData;

/** What a client of one sequence knows: names that exist, its producers and consumers, and the messages it has seen. */
final class PulsarKnown {
    static final int TOPICS = 5;
    private static final int SUBSCRIPTIONS = 4;
    private static final int IDS = 3;
    private static final int KEPT = 20;

    private static final int TRANSACTIONS = 3;

    private final List<MessageIdData> messages = new ArrayList<>();
    private final List<TxnID> transactions = new ArrayList<>();
    /** That were said to be ready. */
    final Set<Long> producers = new TreeSet<>();

    final Set<Long> consumers = new TreeSet<>();

    private final Random random;
    private final int home;
    private int kept;
    private long requests;
    private long sequence;

    PulsarKnown(Random random) {
        this.random = random;
        this.home = random.nextInt(TOPICS);
    }

    /** One of two, mostly, so that producers and consumers of a sequence meet; the last one has two partitions. */
    String topic() {
        int number = random.nextInt(3) > 0 ? home : random.nextInt(TOPICS);
        String name = "persistent://public/default/f" + number;
        return number == TOPICS - 1 ? name + "-partition-" + random.nextInt(2) : name;
    }

    String subscription() {
        return "s" + random.nextInt(SUBSCRIPTIONS);
    }

    /** Of a producer or a consumer. */
    long id() {
        return 1L + random.nextInt(IDS);
    }

    long producerId() {
        return oneOf(producers);
    }

    long consumerId() {
        return oneOf(consumers);
    }

    /** One that is there, mostly. The same numbers are drawn whatever is there. */
    private long oneOf(Set<Long> there) {
        long any = id();
        int which = random.nextInt(IDS);
        return random.nextInt(8) == 0 || there.isEmpty()
                ? any
                : List.copyOf(there).get(which % there.size());
    }

    long nextRequest() {
        return requests += 1000;
    }

    long nextSequence() {
        return sequence++;
    }

    void fill(MessageIdData id) {
        int which = random.nextInt(KEPT);
        if (random.nextInt(10) == 0 || messages.isEmpty()) {
            id.setLedgerId(which).setEntryId(which);
        } else {
            id.copyFrom(messages.get(which % messages.size()));
        }
        if (random.nextInt(5) == 0) {
            id.setBatchIndex(random.nextInt(4)).setBatchSize(4);
            id.addAckSet(random.nextInt(16));
        }
    }

    /** One that was begun, mostly. */
    TxnID transaction() {
        int which = random.nextInt(TRANSACTIONS);
        boolean unknown = random.nextInt(10) == 0 || transactions.isEmpty();
        return unknown ? new TxnID(which, which) : transactions.get(which % transactions.size());
    }

    private void keep(CommandNewTxnResponse begun) {
        if (!begun.hasError()) {
            transactions.add(new TxnID(begun.getTxnidMostBits(), begun.getTxnidLeastBits()));
            if (transactions.size() > TRANSACTIONS) {
                transactions.removeFirst();
            }
        }
    }

    void learn(BaseCommand answer) {
        switch (answer.getType()) {
            case NEW_TXN_RESPONSE -> keep(answer.getNewTxnResponse());
            case PRODUCER_SUCCESS ->
                sequence = Math.max(sequence, answer.getProducerSuccess().getLastSequenceId() + 1);
            case SEND_RECEIPT -> keep(answer.getSendReceipt().getMessageId());
            case MESSAGE -> keep(answer.getMessage().getMessageId());
            case GET_LAST_MESSAGE_ID_RESPONSE ->
                keep(answer.getGetLastMessageIdResponse().getLastMessageId());
            case CLOSE_PRODUCER -> producers.remove(answer.getCloseProducer().getProducerId());
            case CLOSE_CONSUMER -> consumers.remove(answer.getCloseConsumer().getConsumerId());
            default -> {}
        }
    }

    private void keep(MessageIdData id) {
        MessageIdData copy = new MessageIdData().copyFrom(id);
        if (messages.size() == KEPT) {
            messages.set(kept++ % KEPT, copy);
        } else {
            messages.add(copy);
        }
    }
}
