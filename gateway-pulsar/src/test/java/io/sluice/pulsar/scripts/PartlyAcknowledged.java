package io.sluice.pulsar.scripts;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.MessageIdAdv;

/** Messages of batches that one subscription has acknowledged while others of the same batch are not. */
final class PartlyAcknowledged {
    /** Comes before what each subscription had acknowledged. */
    static final String IN_PART = ", acknowledged in part ";

    private static final Comparator<MessageIdAdv> BY_ENTRY =
            Comparator.comparingLong(MessageIdAdv::getLedgerId).thenComparingLong(MessageIdAdv::getEntryId);

    private final TreeMap<MessageIdAdv, TreeMap<Integer, Integer>> byEntry = new TreeMap<>(BY_ENTRY);

    /** Ends the name of a step behind which clients come again; {@link #IN_PART} is in it unless there is nothing. */
    static String text(Map<String, List<String>> bySubscription) {
        String text = bySubscription.entrySet().stream()
                .filter(each -> !each.getValue().isEmpty())
                .map(each -> each.getKey() + " " + each.getValue())
                .collect(Collectors.joining("; "));
        return text.isEmpty() ? "" : IN_PART + text;
    }

    /** @param value of the message */
    void add(int value, MessageId id) {
        MessageIdAdv adv = (MessageIdAdv) id;
        if (adv.getBatchIndex() < 0) {
            return;
        }
        TreeMap<Integer, Integer> values = byEntry.computeIfAbsent(adv, k -> new TreeMap<>());
        values.put(adv.getBatchIndex(), value);
        if (values.size() == adv.getBatchSize()) {
            byEntry.remove(adv);
        }
    }

    /**
     * The position of the subscription is set to a message: those before it in its batch count as acknowledged.
     *
     * @param sent ids of all messages, by value
     */
    void moveTo(List<MessageId> sent, int value) {
        clear();
        MessageIdAdv to = (MessageIdAdv) sent.get(value);
        for (int each = 0; each < sent.size(); each++) {
            MessageIdAdv id = (MessageIdAdv) sent.get(each);
            if (BY_ENTRY.compare(id, to) == 0 && id.getBatchIndex() <= to.getBatchIndex()) {
                add(each, id);
            }
        }
    }

    /** The position of the subscription was set anew, and not into a batch. */
    void clear() {
        byEntry.clear();
    }

    List<String> values() {
        List<String> values = new ArrayList<>();
        for (Map<Integer, Integer> each : byEntry.values()) {
            each.values().forEach(value -> values.add("%03d".formatted(value)));
        }
        return values.stream().sorted().toList();
    }
}
