package io.sluice.testing;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.slf4j.helpers.MessageFormatter;

/** Holds an {@link ExpectedLog} against what is logged while the class runs. */
final class ExpectedLogWatch implements BeforeAllCallback, AfterAllCallback {
    /** What another thread logs may come after the last test has seen what it waited for. */
    private static final long LATE_SECONDS = 10;

    private final Filter filter = new Filter();

    @Override
    public void beforeAll(ExtensionContext context) {
        for (String part :
                context.getRequiredTestClass().getAnnotation(ExpectedLog.class).value()) {
            filter.expected.put(part, new CountDownLatch(1));
        }
        filter.start();
        loggers().addTurboFilter(filter);
    }

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        try {
            if (System.getProperty("test", "").contains("#")) {
                return; // single tests of the class were asked for
            }
            for (Map.Entry<String, CountDownLatch> part : filter.expected.entrySet()) {
                assertThat(part.getValue().await(LATE_SECONDS, TimeUnit.SECONDS))
                        .as("a log line with '%s', after all tests of the class", part.getKey())
                        .isTrue();
            }
        } finally {
            loggers().getTurboFilterList().remove(filter);
        }
    }

    private static LoggerContext loggers() {
        return (LoggerContext) LoggerFactory.getILoggerFactory();
    }

    private static final class Filter extends TurboFilter {
        final Map<String, CountDownLatch> expected = new LinkedHashMap<>();

        @Override
        public FilterReply decide(
                @Nullable Marker marker,
                Logger logger,
                Level level,
                @Nullable String format,
                Object @Nullable [] arguments,
                @Nullable Throwable thrown) {
            if (format == null || !level.isGreaterOrEqual(Level.WARN)) {
                return FilterReply.NEUTRAL;
            }
            String message = MessageFormatter.arrayFormat(format, arguments).getMessage();
            FilterReply reply = FilterReply.NEUTRAL;
            for (Map.Entry<String, CountDownLatch> part : expected.entrySet()) {
                if (message.contains(part.getKey())) {
                    part.getValue().countDown();
                    reply = FilterReply.DENY;
                }
            }
            return reply;
        }
    }
}
