package io.sluice.kafka.api;

import io.sluice.broker.access.Principal;
import java.util.concurrent.Executor;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;

/**
 * One request under way. Any thread. Responses leave in the order in which the connection's requests came, whatever the
 * order of completion; a response to a connection that has closed meanwhile is dropped.
 */
public interface RequestContext {
    RequestHeader header();

    default short version() {
        return header().apiVersion();
    }

    /** Never null; empty if the client gave none. */
    default String clientId() {
        String id = header().clientId();
        return id == null ? "" : id;
    }

    ClientConnection connection();

    /** Principal of the client. */
    default Principal principal() {
        return connection().principal();
    }

    /** Answers. The message is serialised in the request's version, on the connection's loop. */
    void complete(ApiMessage response);

    /** Answers with a message that is made on the connection's loop, when it is about to be serialised. */
    void complete(DeferredResponse response);

    /** See {@link #complete(DeferredResponse)}. Called on the connection's loop. */
    interface DeferredResponse {
        /** Called at most once, not at all if the connection is gone. Keeps ownership of what is in the message. */
        ApiMessage make();

        /** Called once, last: the message was encoded or is not wanted. */
        void release();
    }

    /**
     * Runs {@code onExpiry} on the connection's loop if the request is still unanswered {@code delayMillis} from now; a
     * delay of more than two seconds may be up to a second longer. Called on the connection's loop, at most once.
     */
    void deadline(long delayMillis, Runnable onExpiry);

    /**
     * Runs {@code action} on the connection's loop if the client goes away before the answer: to let go early of what
     * waits. The request must still be completed. Called on the connection's loop, at most once.
     */
    void onDisconnect(Runnable action);

    /**
     * Runs {@code action} on the connection's loop each time that clients' rights have changed before the answer: what was allowed when the
     * request began may be so no more. Called on the connection's loop, at most once.
     */
    void onRightsChange(Runnable action);

    /**
     * Does work that would keep the connection's loop from its other connections for too long. Requests behind this one wait
     * until {@link OffLoop#done} has returned, so that it has its place before them even then. Called in {@code handle}, last.
     */
    void offLoop(Executor executor, OffLoop work);

    /** See {@link #offLoop}. */
    interface OffLoop {
        /** On the executor. */
        void run();

        /** Afterwards, on the connection's loop, also if the client has left. */
        void done();

        /** Instead: the work failed, or the loop has ended. Lets go of what is held; the request need not be completed. */
        void dropped();
    }

    /**
     * Counts bytes that this request holds beside those it came in, until it is answered. Not to be called when it may have
     * been answered.
     *
     * @return false if there is no room for them: they must not be held
     */
    boolean holdMore(int bytes);

    /** Ends the request without an answer, for Produce with acks=0. */
    void completeSilently();

    /** Answers with the API's own form of an error response. Not for {@link RawApiHandler}s. */
    void fail(Errors error, @Nullable String message);

    default void fail(Errors error) {
        fail(error, null);
    }

    /** Closes the connection: the only answer Kafka gives to what it cannot parse. */
    void disconnect();

    /** The same, in the form that Kafka's own coordinator modules take. */
    default org.apache.kafka.common.requests.RequestContext toKafka() {
        return connection().toKafka(header());
    }
}
