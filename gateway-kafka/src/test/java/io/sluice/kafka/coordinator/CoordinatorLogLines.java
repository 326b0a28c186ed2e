package io.sluice.kafka.coordinator;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/** Lines of the runtime of Kafka's coordinator, those for its developers among them, while it is open. */
final class CoordinatorLogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger("org.apache.kafka.coordinator.common.runtime");
    private final boolean additive = logger.isAdditive();
    private final List<ILoggingEvent> lines = new CopyOnWriteArrayList<>();

    CoordinatorLogLines() {
        start();
        logger.setAdditive(false);
        logger.setLevel(Level.DEBUG);
        logger.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
        lines.add(event);
    }

    boolean has(String pattern) {
        var part = Pattern.compile(pattern);
        return lines.stream()
                .anyMatch(line -> part.matcher(line.getFormattedMessage()).find());
    }

    List<String> errors() {
        return lines.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.ERROR))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        logger.setLevel(null);
        logger.setAdditive(additive);
        stop();
    }
}
