package io.sluice.server.wiring;

import io.sluice.broker.identity.NodeTls;
import io.sluice.broker.identity.TlsFiles;
import io.sluice.server.config.BookieTlsFiles;
import io.sluice.store.tls.RevokedCertificates;
import io.sluice.store.wal.bookkeeper.BookieTls;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Certificates of connections to bookies, looked at before BookKeeper reads them, which says what is wrong in no single line. */
final class BookieCertificates {
    private BookieCertificates() {}

    /** @param lists file; empty for none */
    static RevokedCertificates revoked(String lists, Path authorities) throws IOException {
        return lists.isEmpty() ? RevokedCertificates.NONE : new RevokedCertificates(Path.of(lists), authorities);
    }

    /**
     * Null if none are given.
     *
     * @param setting of the files, for the message
     * @throws StartException a file is missing, or is not what it is to be
     */
    static @Nullable BookieTls of(String setting, BookieTlsFiles files) throws StartException {
        if (!files.given()) {
            return null;
        }
        String lists = files.revokedCertificates();
        var tls = new BookieTls(
                Path.of(files.certificate()),
                Path.of(files.key()),
                Path.of(files.authorities()),
                lists.isEmpty() ? null : Path.of(lists));
        try {
            var ignored = new NodeTls(
                    new TlsFiles(tls.certificate(), files.key(), null, tls.authorities()),
                    revoked(lists, tls.authorities()));
            return tls;
        } catch (IOException e) {
            throw new StartException(setting + ": " + e.getMessage());
        }
    }
}
