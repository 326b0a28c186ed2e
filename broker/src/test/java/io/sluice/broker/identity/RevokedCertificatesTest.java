package io.sluice.broker.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.identity.CertificateAuthority.Issued;
import io.sluice.store.tls.RevokedCertificates;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RevokedCertificatesTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final CertificateAuthority ONE = CertificateAuthority.of("one", HOUR);
    private static final CertificateAuthority TWO = CertificateAuthority.of("two", HOUR);
    private static final Issued ALICE = ONE.client("alice", HOUR);
    private static final Issued BOB = ONE.client("bob", HOUR);
    private static final Issued CAROL = TWO.client("carol", HOUR);

    @TempDir
    private Path folder;

    private Path authorities;
    private Path file;

    @BeforeEach
    void writeAuthorities() throws IOException {
        authorities = folder.resolve("ca.pem");
        file = folder.resolve("revoked.pem");
        Files.writeString(authorities, ONE.self().certificatePem() + TWO.self().certificatePem());
    }

    private static Set<BigInteger> serial(Issued of) {
        return Set.of(of.certificate().getSerialNumber());
    }

    private static boolean isRevoked(RevokedCertificates revoked, Issued of) {
        return revoked.hasAny(new Certificate[] {of.certificate()});
    }

    @Test
    void listsOfSeveralAuthoritiesAreInOneFile() throws Exception {
        Files.writeString(file, ONE.revocationList(serial(ALICE), HOUR) + TWO.revocationList(serial(CAROL), HOUR));
        var revoked = new RevokedCertificates(file, authorities);
        assertThat(isRevoked(revoked, ALICE)).isTrue();
        assertThat(isRevoked(revoked, CAROL)).isTrue();
        assertThat(isRevoked(revoked, BOB)).isFalse();
        assertThat(isRevoked(RevokedCertificates.NONE, ALICE)).isFalse();
    }

    @Test
    void aSerialOfOneAuthorityIsNotThatOfAnother() throws Exception {
        Files.writeString(file, TWO.revocationList(serial(ALICE), HOUR));
        assertThat(isRevoked(new RevokedCertificates(file, authorities), ALICE)).isFalse();
    }

    @Test
    void aChangedFileCountsAndABrokenOneDoesNot() throws Exception {
        Files.writeString(file, ONE.revocationList(Set.of(), HOUR));
        var revoked = new RevokedCertificates(file, authorities);
        assertThat(revoked.reload()).isFalse();
        assertThat(isRevoked(revoked, BOB)).isFalse();
        Files.writeString(file, ONE.revocationList(serial(BOB), HOUR));
        assertThat(revoked.reload()).isTrue();
        assertThat(isRevoked(revoked, BOB)).isTrue();
        Files.writeString(file, "nothing");
        assertThatThrownBy(revoked::reload).hasMessageContaining("revoked.pem").hasMessageNotContaining("\n");
        assertThat(isRevoked(revoked, BOB)).isTrue();
        Files.delete(file);
        assertThatThrownBy(revoked::reload).hasMessageContaining("cannot read").hasMessageNotContaining("\n");
        assertThat(isRevoked(revoked, BOB)).isTrue();
        Files.writeString(file, ONE.revocationList(serial(ALICE), HOUR));
        assertThat(revoked.reload()).isTrue();
        assertThat(isRevoked(revoked, BOB)).isFalse();
    }

    @Test
    void onlyListsOfTheAuthoritiesAreTaken() throws Exception {
        CertificateAuthority sameName = CertificateAuthority.of("one", HOUR);
        Files.writeString(file, sameName.revocationList(serial(ALICE), HOUR));
        assertThatThrownBy(() -> new RevokedCertificates(file, authorities))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is signed by none of the authorities")
                .hasMessageNotContaining("\n");
        assertThatThrownBy(() -> new RevokedCertificates(folder.resolve("none"), authorities))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot read");
        Files.writeString(file, ALICE.certificatePem());
        assertThatThrownBy(() -> new RevokedCertificates(file, authorities)).isInstanceOf(IOException.class);
    }

    @Test
    void aListThatIsOutOfDateCountsAndIsToldOnce() throws Exception {
        Files.writeString(file, ONE.revocationList(serial(ALICE), HOUR));
        var revoked = new RevokedCertificates(file, authorities);
        Instant now = Instant.now();
        assertThat(revoked.newlyOutdated(now)).isEmpty();
        assertThat(revoked.newlyOutdated(now.plus(HOUR).plusSeconds(60))).containsExactly("CN=one");
        assertThat(revoked.newlyOutdated(now.plus(HOUR).plusSeconds(120))).isEmpty();
        assertThat(isRevoked(revoked, ALICE)).isTrue();
    }
}
