package io.sluice.server.security;

import io.sluice.broker.identity.CertificateAuthority;
import io.sluice.broker.identity.CertificateAuthority.Issued;
import java.io.IOException;
import java.nio.file.Path;

/** New certificates in place of those in a {@link SecurityFolder}, by its authorities; servers that run take them by themselves. */
final class RenewedCertificates {
    private final Path folder;

    RenewedCertificates(Path folder) {
        this.folder = folder;
    }

    /** @throws IOException a file cannot be read or replaced; in one line. What has been replaced by then fits */
    void write() throws IOException {
        Issued server = read("server");
        Issued renewed = authority("ca").server(server.hosts(), SecurityFolder.OF_OTHERS);
        Issued node = authority("node-ca").node(SecurityFolder.NODE, SecurityFolder.OF_OTHERS);
        replace("server", renewed);
        replace("node", node);
    }

    private CertificateAuthority authority(String name) throws IOException {
        return CertificateAuthority.of(read(name));
    }

    private Issued read(String name) throws IOException {
        return Issued.read(folder.resolve(name + ".pem"), folder.resolve(name + "-key.pem"));
    }

    /** A server that reads between the two finds that they do not fit, keeps what it has, and reads again. */
    private void replace(String name, Issued issued) throws IOException {
        SecurityFolder.replace(folder.resolve(name + "-key.pem"), issued.keyPem(), "rw-------");
        SecurityFolder.replace(folder.resolve(name + ".pem"), issued.certificatePem(), "rw-r--r--");
    }
}
