package io.sluice.kafka.transaction.scripts;

import io.sluice.kafka.transaction.TransactionServer;
import java.util.List;

/**
 * Plays scripts on Apache Kafka and on our gateway, over a broker in memory, and prints where their answers differ. Takes Kafka's port, the first
 * and the last seed, and how many steps. See {@code conformance/compare-kafka-transactions}.
 */
public final class CompareTransactions {
    private CompareTransactions() {}

    public static void main(String[] args) throws Exception {
        long first = Long.parseLong(args[1]);
        long last = Long.parseLong(args[2]);
        int steps = Integer.parseInt(args[3]);
        String run = "c" + Long.toString(System.currentTimeMillis(), 36);
        Differences differences = new Differences();
        try (TransactionServer ours = new TransactionServer()) {
            List<List<String>> kafkas = new PlayedScripts(Integer.parseInt(args[0]), run).play(first, last, steps);
            List<List<String>> sluices = new PlayedScripts(ours.port(), run).play(first, last, steps);
            for (int at = 0; at < kafkas.size(); at++) {
                differences.compare(first + at, kafkas.get(at), sluices.get(at));
            }
        }
        System.out.println(differences);
        System.exit(differences.unknown().isEmpty() ? 0 : 1);
    }
}
