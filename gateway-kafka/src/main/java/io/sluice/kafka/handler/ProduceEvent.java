package io.sluice.kafka.handler;

import java.util.concurrent.TimeUnit;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Throttle;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * One produce request, stage by stage; sampled by the flight recorder; while none records, a short-lived object and no more. Stages are in microseconds,
 * follow one another, and are those of the request's first partition:
 *
 * <pre>
 *   check ─► loopQueue ─► append ─► durable ─► otherPartitions ─► answerQueue ─► answer
 *   └ connection ┘        └ container's loop, log ┘               └ connection ─────┘
 * </pre>
 */
@Name("io.sluice.Produce")
@Label("Produce request")
@Category("Sluice")
@StackTrace(false)
@Throttle("100/s")
final class ProduceEvent extends Event {
    @Label("Partitions")
    int partitions;

    @Label("Bytes of its batches")
    @DataAmount
    int bytes;

    @Label("Changes of thread")
    int threadChanges;

    @Label("Batches are checked")
    @Timespan(Timespan.MICROSECONDS)
    long check;

    @Label("Append waits for the container's loop")
    @Timespan(Timespan.MICROSECONDS)
    long loopQueue;

    @Label("Append is sequenced and put into a frame")
    @Timespan(Timespan.MICROSECONDS)
    long append;

    @Label("Frame is sent and becomes durable")
    @Timespan(Timespan.MICROSECONDS)
    long durable;

    @Label("Other partitions of the request become durable")
    @Timespan(Timespan.MICROSECONDS)
    long otherPartitions;

    @Label("Answer waits for the connection's loop")
    @Timespan(Timespan.MICROSECONDS)
    long answerQueue;

    @Label("Answer is encoded")
    @Timespan(Timespan.MICROSECONDS)
    long answer;

    private transient long stageBegan;
    private transient long thread;
    private transient boolean durableOnce;

    private ProduceEvent() {}

    /** Returns the event of a request that has come whole, or null while nothing records. */
    static @Nullable ProduceEvent start() {
        ProduceEvent event = new ProduceEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.stageBegan = System.nanoTime();
        event.thread = Thread.currentThread().threadId();
        event.begin();
        return event;
    }

    /** A stage goes on in another thread. */
    void changesThread() {
        long now = Thread.currentThread().threadId();
        if (now != thread) {
            thread = now;
            threadChanges++;
        }
    }

    /** @param bytes of its batches */
    void checked(int partitions, int bytes) {
        this.partitions = partitions;
        this.bytes = bytes;
        check = stage();
    }

    void taken() {
        loopQueue += stage();
    }

    void appended() {
        append = stage();
    }

    /** The log's own thread has had it meanwhile: there and back. */
    void durable() {
        threadChanges += 2;
        durableOnce = true;
        durable = stage();
    }

    void allDurable() {
        otherPartitions = stage();
    }

    void answering() {
        answerQueue = stage();
    }

    /** A request that was refused or timed out is not kept: it has not been through all stages. */
    void answered() {
        answer = stage();
        if (durableOnce) {
            commit();
        }
    }

    private long stage() {
        changesThread();
        long now = System.nanoTime();
        long micros = TimeUnit.NANOSECONDS.toMicros(now - stageBegan);
        stageBegan = now;
        return micros;
    }
}
