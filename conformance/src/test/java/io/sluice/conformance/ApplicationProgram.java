package io.sluice.conformance;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * An application with all kinds of clients in a process of its own, which is told what to send and tells what it was answered and
 * received, a line each. A line ends with a dot, so that one cut off by the process's end is known.
 */
final class ApplicationProgram {
    static final String READY = "ready";
    static final String SEND = "send";
    static final String START_AUDIT = "audit";
    static final String ACKNOWLEDGED = "acknowledged";
    static final String REFUSED = "refused";
    static final String UNKNOWN = "unknown";
    static final String RECEIVED = "received";
    static final String WRONG = "wrong";
    static final String END = " .";

    private ApplicationProgram() {}

    /** @param args number of the application, address of Kafka's listener, URL of Pulsar's */
    public static void main(String[] args) throws Exception {
        PrintStream lines = System.out;
        System.setOut(System.err);
        var books = new Printed(lines);
        int id = Integer.parseInt(args[0]);
        var pulsar5 = new Pulsar5Part(args[2], books);
        var transactions = new Pulsar5TransactionsPart(args[2], Pulsar5TransactionsPart.SCALABLE + "-" + id, books);
        try (var application = new Application(List.of(
                        new KafkaPart(args[1], id, 0, books),
                        new KafkaTransactionsPart(args[1], KafkaTransactionsPart.TRANSACTIONAL + "-" + id, books),
                        new PulsarPart(args[2], id, books),
                        pulsar5,
                        transactions));
                var orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            books.print(READY);
            for (String line = orders.readLine(); line != null; line = orders.readLine()) {
                String[] words = line.split(" ");
                if (words[0].equals(START_AUDIT)) {
                    pulsar5.audit();
                    transactions.audit();
                } else {
                    application.send(words[1], Long.parseLong(words[2]));
                }
            }
        }
        // A client may have left threads behind.
        System.exit(0);
    }

    private record Printed(PrintStream lines) implements Application.Books {
        void print(String line) {
            synchronized (lines) {
                lines.print(line + END + "\n");
                lines.flush();
            }
        }

        @Override
        public void acknowledged(String load, long number, String place) {
            print(ACKNOWLEDGED + " " + load + " " + number + " " + place);
        }

        @Override
        public void refused(String load, long number, Throwable why) {
            print(REFUSED + " " + load + " " + number + " " + why.toString().replace('\n', ' '));
        }

        @Override
        public void unknown(String load, long number) {
            print(UNKNOWN + " " + load + " " + number);
        }

        @Override
        public void received(Application.Receipt receipt) {
            print(RECEIVED + " " + receipt.reader() + " " + receipt.load() + " " + receipt.number() + " "
                    + receipt.nanos());
        }

        @Override
        public void wrong(String what) {
            print(WRONG + " " + what.replace('\n', ' '));
        }
    }
}
