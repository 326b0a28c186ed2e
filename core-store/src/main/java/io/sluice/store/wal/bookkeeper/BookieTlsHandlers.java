package io.sluice.store.wal.bookkeeper;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.sluice.store.tls.CertificateTrust;
import io.sluice.store.tls.RevocationWatch;
import io.sluice.store.tls.RevokedCertificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.bookkeeper.conf.AbstractConfiguration;
import org.apache.bookkeeper.tls.SecurityException;
import org.apache.bookkeeper.tls.SecurityHandlerFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS of BookKeeper's client and bookie by the files of a {@link BookieTls}. That of BookKeeper ({@code TLSContextFactory}) wants BouncyCastle,
 * and compares the bookie's certificate with the name that a reverse look-up of its address gives.
 */
public final class BookieTlsHandlers implements SecurityHandlerFactory {
    private static final Logger log = LoggerFactory.getLogger(BookieTlsHandlers.class);
    private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};

    private boolean isServer;
    private BookieTls files;
    private ByteBufAllocator allocator;
    private @Nullable SslContext context;
    private List<FileTime> changed = List.of();
    private RevokedCertificates revoked;
    private RevocationWatch watch;
    private final AtomicBoolean reading = new AtomicBoolean();
    /** Why the lists of revoked certificates could not be read last; empty if they could. */
    private volatile String revokedFailure = "";

    /** For BookKeeper, which calls {@link #init} next. */
    @SuppressWarnings("NullAway.Init")
    public BookieTlsHandlers() {}

    @Override
    public String getHandlerName() {
        return "tls";
    }

    @Override
    public synchronized void init(NodeType end, AbstractConfiguration conf, ByteBufAllocator buffers)
            throws SecurityException {
        isServer = end == NodeType.Server;
        files = BookieTls.from(conf);
        allocator = buffers;
        try {
            Path lists = files.revoked();
            revoked = lists == null ? RevokedCertificates.NONE : new RevokedCertificates(lists, files.authorities());
            watch = new RevocationWatch(revoked, this::readRevokedElsewhere);
            changed = times();
            context = read();
        } catch (IOException | IllegalArgumentException e) {
            throw new SecurityException("the certificate of connections to bookies cannot be used", e);
        }
    }

    private List<FileTime> times() throws IOException {
        return List.of(
                Files.getLastModifiedTime(files.certificate()),
                Files.getLastModifiedTime(files.key()),
                Files.getLastModifiedTime(files.authorities()));
    }

    private SslContext read() throws IOException {
        SslContextBuilder builder = isServer
                ? SslContextBuilder.forServer(
                                files.certificate().toFile(), files.key().toFile())
                        .clientAuth(ClientAuth.REQUIRE)
                        .startTls(true)
                : SslContextBuilder.forClient()
                        .keyManager(files.certificate().toFile(), files.key().toFile())
                        .endpointIdentificationAlgorithm("");
        return builder.trustManager(CertificateTrust.in(files.authorities(), revoked))
                .sslProvider(CertificateTrust.PROVIDER)
                .protocols(VERSIONS)
                .build();
    }

    /** Blocks. */
    private void readRevoked() {
        try {
            if (revoked.reload()) {
                log.info("The lists of revoked certificates of bookies and nodes have changed: {}", files.revoked());
            }
            for (String issuer : revoked.newlyOutdated(Instant.now())) {
                log.warn(
                        "The list of revoked certificates of {} should have been replaced by now: {}. It still counts",
                        issuer,
                        files.revoked());
            }
            revokedFailure = "";
        } catch (IOException e) {
            String failure = String.valueOf(e.getMessage());
            if (!failure.equals(revokedFailure)) {
                log.warn("The lists of revoked certificates of bookies and nodes stay as they were: {}", failure);
            }
            revokedFailure = failure;
        }
    }

    private void readRevokedElsewhere() {
        if (reading.compareAndSet(false, true)) {
            Thread.startVirtualThread(() -> {
                try {
                    readRevoked();
                } finally {
                    reading.set(false);
                }
            });
        }
    }

    /** With the files as they are now; if they cannot be used, with those before. */
    private synchronized SslContext current() {
        readRevoked();
        try {
            List<FileTime> now = times();
            if (!now.equals(changed)) {
                context = read();
                changed = now;
                log.info("New connections of bookies use the changed certificate");
            }
        } catch (IOException | IllegalArgumentException e) {
            log.warn("The certificate of connections to bookies stays as it was: {}", e.getMessage());
        }
        if (context == null) {
            throw new IllegalStateException("used before init");
        }
        return context;
    }

    @Override
    public SslHandler newTLSHandler() {
        SslHandler handler = current().newHandler(allocator);
        watch.add(handler);
        return handler;
    }

    @Override
    public SslHandler newTLSHandler(String peer, int port) {
        return newTLSHandler();
    }
}
