package io.sluice.server.security;

import io.sluice.broker.identity.CertificateAuthority;
import io.sluice.broker.identity.CertificateAuthority.Issued;
import io.sluice.server.wiring.StartException;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509CRLEntry;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Certificates of clients, by the authority of a {@link SecurityFolder}. */
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

    /**
     * Adds the certificate to the list of those that the authority has revoked, which is made if there is none.
     *
     * @throws IOException a file cannot be read or replaced; in one line
     */
    static void revoke(Path folder, Path certificate) throws IOException, StartException {
        Issued authority = Issued.read(folder.resolve("ca.pem"), folder.resolve("ca-key.pem"));
        X509Certificate revoked = Issued.certificate(certificate);
        if (!revoked.getIssuerX500Principal().equals(authority.certificate().getSubjectX500Principal())) {
            throw new StartException(certificate + " is not of the authority in " + folder);
        }
        Path list = folder.resolve(SecurityFolder.REVOKED);
        Set<BigInteger> serials = new TreeSet<>(serialsIn(list));
        serials.add(revoked.getSerialNumber());
        SecurityFolder.replace(
                list,
                CertificateAuthority.of(authority).revocationList(serials, SecurityFolder.OF_AUTHORITY),
                "rw-r--r--");
    }

    private static List<BigInteger> serialsIn(Path list) throws IOException {
        try (InputStream in = Files.newInputStream(list)) {
            X509CRL read = (X509CRL) CertificateFactory.getInstance("X.509").generateCRL(in);
            Set<? extends X509CRLEntry> entries = read.getRevokedCertificates();
            return entries == null
                    ? List.of()
                    : entries.stream().map(X509CRLEntry::getSerialNumber).toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (GeneralSecurityException e) {
            throw new IOException(list + " is no list of revoked certificates (CRL)", e);
        }
    }
}
