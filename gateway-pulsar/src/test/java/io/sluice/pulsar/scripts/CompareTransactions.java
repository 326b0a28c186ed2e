package io.sluice.pulsar.scripts;

import io.sluice.pulsar.TestGateway;
import io.sluice.pulsar.scripts.Comparison.Known;
import java.io.IOException;
import java.util.List;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.jspecify.annotations.Nullable;

/**
 * Plays scripts on Apache Pulsar and on our gateway, over a broker in memory, and prints where their answers differ. Takes Pulsar's
 * URL, the first and the last seed, and how many steps. See {@code conformance/compare-pulsar-transactions}.
 */
public final class CompareTransactions {
    private CompareTransactions() {}

    public static void main(String[] args) throws IOException {
        int steps = Integer.parseInt(args[3]);
        String run = "c" + System.currentTimeMillis();
        Comparison comparison = new Comparison(CompareTransactions::known);
        try (TestGateway ours = TestGateway.start();
                PulsarClient one = client(args[0]);
                PulsarClient other = client("pulsar://127.0.0.1:" + ours.port())) {
            for (long seed = Long.parseLong(args[1]); seed <= Long.parseLong(args[2]); seed++) {
                comparison.add(seed, play(one, seed, run, steps), play(other, seed, run, steps));
            }
        }
        System.exit(comparison.print());
    }

    private static @Nullable Known known(String ofPulsar, String ofOurs) {
        if (isEndedAgain(ofPulsar, ofOurs)) {
            return new Known("a transaction that has ended is ended again in the same way", false);
        }
        if (isTakenTooLate(ofPulsar, ofOurs)) {
            return new Known("a transaction that is over is used", true);
        }
        return isSentAgain(ofPulsar, ofOurs)
                ? new Known("what was acknowledged up to a message in an aborted transaction comes again", true)
                : null;
    }

    /** Here a transaction may be ended again in the same way: the answer may have been lost. */
    private static boolean isEndedAgain(String ofPulsar, String ofOurs) {
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
