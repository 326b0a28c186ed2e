package io.sluice.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RefusedHandshakesTest {
    @TempDir
    private Path folder;

    @Test
    void theLogFileHasNoStackTraceOfAHandshakeThatABookieRefused() throws Exception {
        var context = new LoggerContext();
        context.setMDCAdapter(new LogbackMDCAdapter()); // an appender drops events without
        context.putProperty("sluice.logs", folder.toString());
        context.putProperty("sluice.log.file", "file");
        var configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(ServerLog.class.getResource("/logback-server.xml"));
        try {
            var refused = new SSLHandshakeException("refused");
            var processor = context.getLogger("org.apache.bookkeeper.proto.BookieRequestProcessor");
            var handler = context.getLogger("org.apache.bookkeeper.proto.BookieRequestHandler");
            processor.error("left out", refused);
            handler.error("left out", new DecoderException(refused));
            handler.error("left out", new DecoderException(new NotSslRecordException("no TLS")));
            handler.error("another failure", new IllegalStateException("of the bookie"));
            context.getLogger("org.apache.bookkeeper.client").error("another logger", refused);
        } finally {
            context.stop();
        }
        assertThat(Files.readString(folder.resolve("sluice.log")))
                .doesNotContain("left out")
                .contains("another failure", "of the bookie", "another logger");
    }
}
