package io.sluice.server;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.TopicCatalogue;
import java.io.IOException;
import java.nio.file.Path;

/** Packages keep to the table in ARCHITECTURE.md ({@link PackageTable}), and libraries to their rooms. */
@AnalyzeClasses(
        packages = "io.sluice",
        importOptions = {ImportOption.DoNotIncludeTests.class, ArchitectureTest.NoTestJars.class})
class ArchitectureTest {
    /** Other modules' tests, which a whole build brings as jars. */
    static final class NoTestJars implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("-tests.jar");
        }
    }

    /** What the table says of libraries and threads is not checked here; rules of libraries follow. */
    @ArchTest
    static void packagesUseWhatTheTableNames(JavaClasses classes) throws IOException {
        assertThat(PackageTable.read().violations(classes)).isEmpty();
    }

    @ArchTest
    static void theTableHasEveryPackageAndNoOther(JavaClasses classes) throws IOException {
        PackageTable table = PackageTable.read();
        assertThat(table.missing(classes)).isEmpty();
        assertThat(table.superfluous(classes)).isEmpty();
    }

    /** Each package counts by itself, one below another, too. */
    @ArchTest
    static final ArchRule NO_PACKAGES_IN_CIRCLES =
            slices().matching("io.sluice.(**)").should().beFreeOfCycles();

    /** Exceptions of today are listed; the list only shrinks ({@link ClassRings}). */
    @ArchTest
    static void noMoreThanTwoClassesOfAPackageFormARing(JavaClasses classes) throws IOException {
        assertThat(new ClassRings(classes).violations(Path.of("src", "test", "resources", "class-rings.txt")))
                .isEmpty();
    }

    @ArchTest
    static final ArchRule THE_DOOR_OF_THE_STORE_HAS_VALUES_AND_BUFFERS = classes()
            .that()
            .resideInAPackage("io.sluice.store.segment..")
            .should()
            .onlyDependOnClassesThat(
                    resideInAnyPackage("io.sluice.store.segment..", "java..", "io.netty.buffer..", "org.jspecify.."));

    /** So that nobody gets round who may do what; changing a topic that was found there is another matter. */
    @ArchTest
    static final ArchRule PULSAR_LOOKS_TOPICS_UP_IN_ONE_PLACE = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.sluice.pulsar.connection..",
                    "io.sluice.pulsar.dispatch..",
                    "io.sluice.pulsar.hub..",
                    "io.sluice.pulsar.producer..",
                    "io.sluice.pulsar.handler..",
                    "io.sluice.pulsar.websocket..",
                    "io.sluice.pulsar.admin..")
            .should()
            .dependOnClassesThat(type(Partitions.class))
            .orShould()
            .callMethodWhere(target(owner(type(TopicCatalogue.class))).and(target(nameMatching("find|all"))));

    /** The same. */
    @ArchTest
    static final ArchRule KAFKA_LOOKS_TOPICS_UP_IN_ONE_PLACE = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.sluice.kafka.connection..",
                    "io.sluice.kafka.fetch..",
                    "io.sluice.kafka.handler..",
                    "io.sluice.kafka.coordinator.handler..")
            .should()
            .dependOnClassesThat(type(Partitions.class))
            .orShould()
            .callMethodWhere(target(owner(type(TopicCatalogue.class))).and(target(nameMatching("find|all"))));

    @ArchTest
    static final ArchRule TRANSACTIONS_KNOW_NO_PULSAR = noClasses()
            .that()
            .resideInAPackage("io.sluice.transactions..")
            .should()
            .dependOnClassesThat(resideInAnyPackage("org.apache.pulsar..", "io.vertx.."));

    /** Its JSON aside. */
    @ArchTest
    static final ArchRule ONLY_ADMIN_AND_WEB_SOCKETS_KNOW_VERTX = noClasses()
            .that(resideOutsideOfPackages(
                    "io.sluice.pulsar.admin..", "io.sluice.pulsar.websocket..", "io.sluice.server.."))
            .should()
            .dependOnClassesThat(resideInAPackage("io.vertx..").and(not(resideInAPackage("io.vertx.core.json.."))));

    @ArchTest
    static final ArchRule THE_STATE_IS_PURE = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.sluice.store.state..",
                    "io.sluice.store.pressure..",
                    "io.sluice.broker.log.index..",
                    "io.sluice.broker.log.state..")
            .should()
            .dependOnClassesThat(
                    resideInAnyPackage("java.io..", "java.nio.file..", "java.util.concurrent..", "org.slf4j..")
                            .and(not(assignableTo(IOException.class))))
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Thread.class);

    @ArchTest
    static final ArchRule ONLY_THE_LOG_AND_THE_BOOKIE_KNOW_BOOKKEEPER = noClasses()
            .that(resideOutsideOfPackage("io.sluice.store.wal.bookkeeper..")
                    .and(resideOutsideOfPackage("io.sluice.bookie..")))
            .should()
            .dependOnClassesThat(resideInAPackage("org.apache.bookkeeper.."));

    @ArchTest
    static final ArchRule ONLY_ITS_ROOM_KNOWS_S3 = noClasses()
            .that(resideOutsideOfPackage("io.sluice.tiering.objectstore.s3.."))
            .should()
            .dependOnClassesThat(resideInAPackage("software.amazon.awssdk.."));

    @ArchTest
    static final ArchRule ONLY_CLUSTER_KNOWS_THE_METADATA_LIBRARY = noClasses()
            .that(resideOutsideOfPackage("io.sluice.store.cluster..")
                    .and(resideOutsideOfPackage("io.sluice.store.wal.bookkeeper.."))
                    .and(resideOutsideOfPackage("io.sluice.bookie..")))
            .should()
            .dependOnClassesThat(resideInAPackage("org.apache.pulsar.metadata.."));

    @ArchTest
    static final ArchRule ONLY_REPLICATION_KNOWS_PULSARS_CLIENT = noClasses()
            .that()
            .resideOutsideOfPackage("io.sluice.pulsar.replication.client..")
            .should()
            .dependOnClassesThat(resideInAPackage("org.apache.pulsar.client.impl.."));

    @ArchTest
    static final ArchRule THE_STORE_KNOWS_NO_PROTOCOL = noClasses()
            .that()
            .resideInAnyPackage("io.sluice.store..", "io.sluice.bookie..", "io.sluice.tiering..", "io.sluice.broker..")
            .should()
            .dependOnClassesThat(resideInAnyPackage(
                    "org.apache.kafka..", "org.apache.pulsar.common..", "org.apache.pulsar.client..", "io.vertx.."));

    @ArchTest
    static final ArchRule THE_KAFKA_GATEWAY_KNOWS_NO_PULSAR = noClasses()
            .that()
            .resideInAPackage("io.sluice.kafka..")
            .should()
            .dependOnClassesThat(resideInAnyPackage("org.apache.pulsar..", "io.vertx.."));

    @ArchTest
    static final ArchRule THE_PULSAR_GATEWAY_KNOWS_NO_KAFKA = noClasses()
            .that()
            .resideInAPackage("io.sluice.pulsar..")
            .should()
            .dependOnClassesThat(resideInAnyPackage("org.apache.kafka.."));

    @ArchTest
    static final ArchRule NAMES_SAY_WHAT_A_CLASS_DOES =
            classes().should().haveNameNotMatching(".*(Impl|Manager|Utils?|Helper)$");

    @ArchTest
    static final ArchRule THE_SCREEN_BELONGS_TO_THE_COMMAND_LINE = noClasses()
            .should()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err")
            .orShould()
            .callMethod(Throwable.class, "printStackTrace");
}
