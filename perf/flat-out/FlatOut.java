import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;

/**
 * One Pulsar client that publishes and reads one topic flat out. Prints rates and the longest pauses.
 *
 * <p>Usage: {@code java -cp JARS FlatOut.java URL SIZE batched|single SECONDS}
 */
class FlatOut {
    /** Counts events and keeps the longest time without one, in nanoseconds. */
    private static final class Pace {
        private long count;
        private long longest;
        private long last;

        Pace(long begin) {
            last = begin;
        }

        synchronized void event() {
            long now = System.nanoTime();
            longest = Math.max(longest, now - last);
            last = now;
            count++;
        }

        synchronized String rate(double seconds) {
            return "%.0f".formatted(count / seconds);
        }

        /** What is without an event until now is a pause, too. */
        synchronized String pause() {
            return "%.2f s".formatted(Math.max(longest, System.nanoTime() - last) / 1e9);
        }
    }

    public static void main(String[] args) throws Exception {
        byte[] value = new byte[Integer.parseInt(args[1])];
        boolean batched = args[2].equals("batched");
        double seconds = Double.parseDouble(args[3]);
        String topic = "flat-out-" + UUID.randomUUID();
        AtomicReference<Throwable> failed = new AtomicReference<>();
        try (var client = PulsarClient.builder().serviceUrl(args[0]).build();
                var consumer = client.newConsumer()
                        .topic(topic)
                        .subscriptionName("s")
                        .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                        .subscribe();
                var producer = client.newProducer()
                        .topic(topic)
                        .enableBatching(batched)
                        .blockIfQueueFull(true)
                        .maxPendingMessages(1_000)
                        .create()) {
            long warmUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
            while (System.nanoTime() < warmUp) {
                producer.sendAsync(value);
                consumer.acknowledgeAsync(consumer.receive());
            }
            producer.flush();
            long begin = System.nanoTime();
            Pace receipts = new Pace(begin);
            Pace deliveries = new Pace(begin);
            Thread reader = Thread.ofPlatform().daemon().start(() -> {
                try {
                    while (!Thread.interrupted()) {
                        var message = consumer.receive();
                        deliveries.event();
                        consumer.acknowledgeAsync(message);
                    }
                } catch (Exception e) {
                    // interrupted at the end
                }
            });
            while (System.nanoTime() - begin < seconds * 1e9) {
                producer.sendAsync(value).whenComplete((id, error) -> {
                    receipts.event();
                    if (error != null) {
                        failed.set(error);
                    }
                });
            }
            System.out.println("java " + value.length + " " + args[2] + " published/s " + receipts.rate(seconds) + " read/s "
                    + deliveries.rate(seconds) + " longest pause: receipts " + receipts.pause() + " deliveries "
                    + deliveries.pause() + (failed.get() == null ? "" : " FAILED " + failed.get()));
            reader.interrupt();
        }
        System.exit(0);
    }
}
