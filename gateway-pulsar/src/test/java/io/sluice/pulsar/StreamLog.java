package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Messages {@code key:number} that stream consumers have received, in the order in which they were; numbers of a key rise by one. */
final class StreamLog {
    private final List<String> values = new ArrayList<>();
    private final Map<String, Integer> last = new HashMap<>();
    private final Map<String, Integer> byConsumer = new HashMap<>();
    private final Semaphore news = new Semaphore(0);
    private final boolean redelivered;

    StreamLog() {
        this(false);
    }

    /** @param redelivered whether what was received, and maybe not acknowledged in time, may come again */
    StreamLog(boolean redelivered) {
        this.redelivered = redelivered;
    }

    synchronized void add(String consumer, String value) {
        String key = value.substring(0, value.indexOf(':'));
        int number = Integer.parseInt(value.substring(value.indexOf(':') + 1));
        int before = last.getOrDefault(key, 0);
        if (redelivered && number <= before) {
            return;
        }
        values.add(value + (number == before + 1 ? "" : " OUT OF ORDER, " + consumer));
        last.put(key, number);
        byConsumer.merge(consumer, 1, Integer::sum);
        news.release();
    }

    synchronized int by(String consumer) {
        return byConsumer.getOrDefault(consumer, 0);
    }

    synchronized List<String> values() {
        return List.copyOf(values);
    }

    /** Until so many messages were received in all. */
    void await(int messages) throws InterruptedException {
        while (values().size() < messages) {
            assertThat(news.tryAcquire(30, TimeUnit.SECONDS))
                    .as(values().size() + " of " + messages)
                    .isTrue();
        }
    }
}
