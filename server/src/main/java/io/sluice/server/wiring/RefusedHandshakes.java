package io.sluice.server.wiring;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.List;

/** Keeps out of the log what BookKeeper's bookie says, with a stack trace, of TLS handshakes that failed: there is a line of ours for each. */
public final class RefusedHandshakes extends Filter<ILoggingEvent> {
    /** Two loggers of one package. */
    private static final String BOOKIE = "org.apache.bookkeeper.proto.BookieRequest";

    /** OpenSSL's failures have classes of their own, which are not public. */
    private static final List<String> TLS = List.of("javax.net.ssl.SSL", "io.netty.handler.ssl.");

    @Override
    public FilterReply decide(ILoggingEvent event) {
        if (event.getThrowableProxy() != null && event.getLoggerName().startsWith(BOOKIE)) {
            for (IThrowableProxy each = event.getThrowableProxy(); each != null; each = each.getCause()) {
                if (TLS.stream().anyMatch(each.getClassName()::startsWith)) {
                    return FilterReply.DENY;
                }
            }
        }
        return FilterReply.NEUTRAL;
    }
}
