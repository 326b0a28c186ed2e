package io.sluice.perf;

import java.util.function.LongConsumer;

/** A system under load, through its stock client: one producer and one consumer. */
interface Target extends AutoCloseable {
    /** Creates the topic with so many partitions and connects producer and consumer. */
    void open(String topic, int partitions) throws Exception;

    /**
     * Sends without waiting for the receipt; may block while the client's own buffer is full.
     *
     * @param key spreads the records over the partitions
     * @param value begins with 8 bytes of intended send time, {@link System#nanoTime}
     * @param acknowledged called once, on any thread, when the server has answered
     * @param failed called instead if it never will
     */
    void send(byte[] key, byte[] value, Runnable acknowledged, java.util.function.Consumer<Throwable> failed);

    /** Starts to consume on a thread of the target's own; {@code each} gets the intended send time of every record. */
    void consume(LongConsumer each);

    /** Sends what is still buffered and returns when all is acknowledged. */
    void flush() throws Exception;

    @Override
    void close() throws Exception;
}
