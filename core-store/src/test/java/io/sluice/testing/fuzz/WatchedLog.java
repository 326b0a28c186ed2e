package io.sluice.testing.fuzz;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Stands in for the log while it is open, and keeps what must not be there: errors of ours, stack traces of anyone, threads that died, and
 * connections that were closed for an exception other than one of the socket.
 */
final class WatchedLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private static final Pattern EXCEPTION = Pattern.compile(
            "^(?!java\\.(io|net|nio\\.channels)\\.|io\\.netty\\.channel\\.)[a-z]\\w*\\.[\\w.$]*(Exception|Error)\\b");
    private static final int KEPT = 20;

    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final List<Appender<ILoggingEvent>> usual = new ArrayList<>();
    private final List<String> tolerated;
    private final ConcurrentLinkedQueue<String> problems = new ConcurrentLinkedQueue<>();
    private final Thread.@Nullable UncaughtExceptionHandler uncaughtBefore =
            Thread.getDefaultUncaughtExceptionHandler();

    /** @param tolerated found in the messages of libraries that say more than they should */
    WatchedLog(List<String> tolerated) {
        this.tolerated = tolerated;
        root.iteratorForAppenders().forEachRemaining(usual::add);
        usual.forEach(root::detachAppender);
        setContext((LoggerContext) LoggerFactory.getILoggerFactory());
        start();
        root.addAppender(this);
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> add(thread.getName() + " died: " + e));
    }

    @Override
    protected void append(ILoggingEvent event) {
        boolean trace = event.getThrowableProxy() != null && event.getLevel().isGreaterOrEqual(Level.WARN);
        boolean ours = event.getLoggerName().startsWith("io.sluice");
        boolean bad = trace || ours && (event.getLevel().isGreaterOrEqual(Level.ERROR) || namesAnException(event));
        if (bad && tolerated.stream().noneMatch(event.getFormattedMessage()::contains)) {
            String stack = event.getThrowableProxy() == null
                    ? ""
                    : "\n" + ThrowableProxyUtil.asString(event.getThrowableProxy());
            add(event.getLevel() + " " + event.getLoggerName() + " " + event.getFormattedMessage() + stack);
        }
    }

    private static boolean namesAnException(ILoggingEvent event) {
        Object[] arguments = event.getArgumentArray();
        if (arguments == null) {
            return false;
        }
        for (Object argument : arguments) {
            if (argument instanceof String text && EXCEPTION.matcher(text).find()) {
                return true;
            }
        }
        return false;
    }

    private void add(String problem) {
        if (problems.size() < KEPT) {
            problems.add(problem);
        }
    }

    /** The problems since the last call. */
    List<String> drain() {
        List<String> found = new ArrayList<>();
        for (String problem = problems.poll(); problem != null; problem = problems.poll()) {
            found.add(problem);
        }
        return found;
    }

    @Override
    public void close() {
        root.detachAppender(this);
        usual.forEach(root::addAppender);
        Thread.setDefaultUncaughtExceptionHandler(uncaughtBefore);
        stop();
    }
}
