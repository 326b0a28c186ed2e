package io.sluice.pulsar.handler;

import io.sluice.broker.log.PartitionLog;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import java.util.function.BiConsumer;
import org.apache.pulsar.common.api.proto.ServerError;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Step of a command on the loop of its partition, which answers it; the command is refused when the step cannot. */
final class CommandStep {
    private static final Logger LOG = LoggerFactory.getLogger(CommandStep.class);

    private CommandStep() {}

    /** @param broken told the client if the step throws: it would wait, and come again when it has waited long enough */
    static void run(PartitionLog log, Runnable step, String broken, BiConsumer<ServerError, String> refuse) {
        log.container()
                .ask(() -> {
                    step.run();
                    return true;
                })
                .whenComplete((done, why) -> {
                    if (why != null) {
                        refuse(why, broken, refuse);
                    }
                });
    }

    private static void refuse(Throwable why, String broken, BiConsumer<ServerError, String> refuse) {
        StoreFailure declined = StoreException.failureIn(why);
        if (declined != null) {
            refuse.accept(ErrorMapping.of(declined), declined.message());
        } else {
            LOG.error("A command broke on the loop of its partition: {}", broken, why);
            refuse.accept(ServerError.UnknownError, broken);
        }
    }
}
