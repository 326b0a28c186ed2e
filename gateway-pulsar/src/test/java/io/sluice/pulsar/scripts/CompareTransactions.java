package io.sluice.pulsar.scripts;

import io.sluice.pulsar.TestGateway;
import java.io.IOException;
import java.util.List;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;

/**
 * Plays scripts on Apache Pulsar and on our gateway, over a broker in memory, and prints where their answers differ. Takes Pulsar's
 * URL, the first and the last seed, and how many steps. See {@code conformance/compare-pulsar-transactions}.
 */
public final class CompareTransactions {
    private CompareTransactions() {}

    public static void main(String[] args) throws IOException {
        int steps = Integer.parseInt(args[3]);
        String run = "c" + System.currentTimeMillis();
        int compared = 0;
        int known = 0;
        int different = 0;
        try (TestGateway ours = TestGateway.start();
                PulsarClient one = client(args[0]);
                PulsarClient other = client("pulsar://127.0.0.1:" + ours.port())) {
            for (long seed = Long.parseLong(args[1]); seed <= Long.parseLong(args[2]); seed++) {
                List<String> first = play(one, seed, run, steps);
                List<String> second = play(other, seed, run, steps);
                Compared result = compare(first, second);
                compared += result.equal;
                known += result.known;
                if (result.at >= 0) {
                    different++;
                    System.out.println("seed " + seed + ", step " + result.at);
                    first.subList(0, result.at).forEach(step -> System.out.println("    " + step));
                    System.out.println("  < " + first.get(result.at) + "\n  > " + second.get(result.at));
                }
            }
        }
        System.out.println(
                compared + " answers are equal, " + known + " differ as is known, " + different + " scripts differ");
        System.exit(different == 0 ? 0 : 1);
    }

    /** @param at of the first answer that differs; -1 if none does */
    private record Compared(int equal, int known, int at) {}

    private static Compared compare(List<String> first, List<String> second) {
        int known = 0;
        for (int at = 0; at < first.size(); at++) {
            if (isKnown(first.get(at), second.get(at))) {
                known++;
            } else if (isTakenTooLate(first.get(at), second.get(at)) || isSentAgain(first.get(at), second.get(at))) {
                // From here on the topic is another one.
                return new Compared(at - known, known + 1, -1);
            } else if (!first.get(at).equals(second.get(at))) {
                return new Compared(at - known, known, at);
            }
        }
        return new Compared(first.size() - known, known, -1);
    }

    /** Here a transaction may be ended again in the same way: the answer may have been lost. */
    private static boolean isKnown(String ofPulsar, String ofOurs) {
        boolean ends = ofPulsar.contains("commit") || ofPulsar.contains("abort");
        return ends && ofPulsar.endsWith(": TransactionNotFoundException") && ofOurs.endsWith(": done");
    }

    private static PulsarClient client(String url) throws PulsarClientException {
        return PulsarClient.builder().serviceUrl(url).enableTransaction(true).build();
    }

    private static List<String> play(PulsarClient client, long seed, String run, int steps) throws IOException {
        try (TransactionScript script = new TransactionScript(client, seed, run)) {
            return script.run(steps);
        }
    }

    /** Pulsar does not send again what was acknowledged up to a message in a transaction that is aborted. */
    private static boolean isSentAgain(String ofPulsar, String ofOurs) {
        boolean receives = ofPulsar.contains("consumer 0 gets") || ofPulsar.contains("consumer 2 gets");
        return receives && !ofPulsar.equals(ofOurs) && values(ofOurs).containsAll(values(ofPulsar));
    }

    private static List<String> values(String answer) {
        String list = answer.substring(answer.indexOf('[') + 1, answer.indexOf(']'));
        return list.isEmpty() ? List.of() : List.of(list.split(", "));
    }

    /** Pulsar takes a message or an acknowledgement in a transaction that is over, and nothing ends it there any more. */
    private static boolean isTakenTooLate(String ofPulsar, String ofOurs) {
        boolean uses = ofPulsar.contains("send to") || ofPulsar.contains("acknowledges");
        return uses && ofPulsar.endsWith(": done") && ofOurs.endsWith(": NotAllowedException");
    }
}
