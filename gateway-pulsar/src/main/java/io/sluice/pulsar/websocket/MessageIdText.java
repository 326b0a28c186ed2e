package io.sluice.pulsar.websocket;

import java.util.Base64;
import org.apache.pulsar.common.api.proto.MessageIdData;

/** Message ids as Pulsar's clients write them as bytes, in base64. */
final class MessageIdText {
    /** Messages that an id may say its batch has: what is marked of it is allocated by that. */
    private static final int MAX_BATCH = 1 << 20;

    private MessageIdText() {}

    static String of(MessageIdData id) {
        return Base64.getEncoder().encodeToString(id.toByteArray());
    }

    /**
     * @param partition -1 for a non-partitioned topic
     * @param batchIndex -1 for a message that is in no batch
     */
    static String of(long ledger, long entry, int partition, int batchIndex, int batchSize) {
        MessageIdData id = new MessageIdData().setLedgerId(ledger).setEntryId(entry);
        if (partition >= 0) {
            id.setPartition(partition);
        }
        if (batchIndex >= 0) {
            id.setBatchIndex(batchIndex).setBatchSize(batchSize);
        }
        return of(id);
    }

    static MessageIdData parse(String text) throws BadRequestException {
        MessageIdData id = new MessageIdData();
        try {
            byte[] bytes = Base64.getDecoder().decode(text);
            id.parseFrom(bytes);
            id.getLedgerId();
            id.getEntryId();
        } catch (RuntimeException e) { // what the generated parser throws is not narrower
            throw new BadRequestException("not a message id: " + text);
        }
        if (id.hasBatchSize() && id.getBatchSize() > MAX_BATCH) {
            throw new BadRequestException("not a message id: " + text);
        }
        return id;
    }
}
