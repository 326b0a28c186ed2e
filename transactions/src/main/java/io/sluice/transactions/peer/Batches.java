package io.sluice.transactions.peer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Items that wait to be sent to one place: at once while few requests are under way, else together with what comes meanwhile. Any
 * thread.
 */
final class Batches<T> {
    private final Limits limits;
    private final Sender<T> sender;
    private final ArrayDeque<T> waiting = new ArrayDeque<>();
    private int underWay;

    /**
     * Bounds.
     *
     * @param waiting items that are not sent yet; those beyond are refused
     * @param together bytes of one request, but that one item is sent whatever it has
     * @param underWay requests at a time
     */
    record Limits(int waiting, int together, int underWay) {}

    interface Sender<T> {
        /** About as many bytes as the item takes in a request; not fewer. */
        int bytes(T item);

        /** @param done called once, when the request has been answered or given up */
        void send(List<T> batch, Runnable done);
    }

    Batches(Limits limits, Sender<T> sender) {
        this.limits = limits;
        this.sender = sender;
    }

    /** @return false if it is refused: too many wait */
    boolean add(T item) {
        synchronized (this) {
            if (waiting.size() >= limits.waiting) {
                return false;
            }
            waiting.add(item);
        }
        send();
        return true;
    }

    private void send() {
        for (List<T> batch = next(); !batch.isEmpty(); batch = next()) {
            sender.send(batch, this::done);
        }
    }

    private synchronized List<T> next() {
        List<T> batch = new ArrayList<>();
        if (underWay < limits.underWay) {
            int bytes = 0;
            for (T item = waiting.peek(); item != null; item = waiting.peek()) {
                bytes += sender.bytes(item);
                if (bytes > limits.together && !batch.isEmpty()) {
                    break;
                }
                batch.add(waiting.remove());
            }
            underWay += batch.isEmpty() ? 0 : 1;
        }
        return batch;
    }

    private void done() {
        synchronized (this) {
            underWay--;
        }
        send();
    }
}
