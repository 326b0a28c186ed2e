package io.sluice.server.security;

import io.sluice.broker.identity.CertificateAuthority;
import io.sluice.broker.identity.CertificateAuthority.Issued;
import io.sluice.server.wiring.StartException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Certificate of a client, by the authority of a {@link SecurityFolder}. */
final class ClientCertificate {
    private ClientCertificate() {}

    /**
     * Writes the certificate and its key beside those of the authority.
     *
     * @throws FileAlreadyExistsException one of the two files is there; the other is not written then
     * @throws IOException a file cannot be read or written; in one line
     */
    static void write(Path folder, String name, Duration lifetime) throws IOException, StartException {
        if (!SecurityFolder.isName(name)) {
            throw new StartException("NAME is '" + name + "', expected are 1 to 64 letters, digits and any of . _ @ -");
        }
        CertificateAuthority authority =
                CertificateAuthority.of(Issued.read(folder.resolve("ca.pem"), folder.resolve("ca-key.pem")));
        Path certificate = folder.resolve(name + ".pem");
        if (Files.exists(certificate)) {
            throw new FileAlreadyExistsException(certificate.toString());
        }
        Issued client = authority.client(name, lifetime);
        SecurityFolder.writeSecret(folder.resolve(name + "-key.pem"), client.keyPem());
        SecurityFolder.writeForAll(certificate, client.certificatePem());
    }
}
