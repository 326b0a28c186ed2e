package io.sluice.server;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;

/** The table of modules and packages in ARCHITECTURE.md, as rules. */
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

    @ArchTest
    static final ArchRule MODULES = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("core-store")
            .definedBy("io.sluice.store..")
            .layer("tiering")
            .definedBy("io.sluice.tiering..")
            .layer("broker")
            .definedBy("io.sluice.broker..")
            .layer("gateway-kafka")
            .definedBy("io.sluice.kafka..")
            .layer("gateway-pulsar")
            .definedBy("io.sluice.pulsar..")
            .layer("server")
            .definedBy("io.sluice.server..")
            .whereLayer("server")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("gateway-kafka")
            .mayOnlyBeAccessedByLayers("server")
            .whereLayer("gateway-pulsar")
            .mayOnlyBeAccessedByLayers("server")
            .whereLayer("tiering")
            .mayOnlyBeAccessedByLayers("server")
            .whereLayer("broker")
            .mayOnlyBeAccessedByLayers("gateway-kafka", "gateway-pulsar", "server")
            .whereLayer("core-store")
            .mayOnlyBeAccessedByLayers("tiering", "broker", "gateway-kafka", "gateway-pulsar", "server");

    @ArchTest
    static final ArchRule ROOMS_OF_THE_STORE = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("segment")
            .definedBy("io.sluice.store.segment..")
            .layer("state")
            .definedBy("io.sluice.store.state..")
            .layer("pressure")
            .definedBy("io.sluice.store.pressure..")
            .layer("cache")
            .definedBy("io.sluice.store.cache..")
            .layer("read")
            .definedBy("io.sluice.store.read..")
            .layer("tier")
            .definedBy("io.sluice.store.tier..")
            .layer("cluster")
            .definedBy("io.sluice.store.cluster..")
            .layer("wal")
            .definedBy("io.sluice.store.wal")
            .layer("wal.bookkeeper")
            .definedBy("io.sluice.store.wal.bookkeeper..")
            .layer("container")
            .definedBy("io.sluice.store.container..")
            .whereLayer("segment")
            .mayNotAccessAnyLayer()
            .whereLayer("pressure")
            .mayNotAccessAnyLayer()
            .whereLayer("cache")
            .mayNotAccessAnyLayer()
            .whereLayer("cluster")
            .mayNotAccessAnyLayer()
            .whereLayer("wal")
            .mayNotAccessAnyLayer()
            .whereLayer("wal.bookkeeper")
            .mayOnlyAccessLayers("wal", "cluster")
            .whereLayer("tier")
            .mayOnlyAccessLayers("segment")
            .whereLayer("state")
            .mayOnlyAccessLayers("tier", "wal")
            .whereLayer("read")
            .mayOnlyAccessLayers("cache", "segment", "tier")
            .whereLayer("container")
            .mayOnlyAccessLayers("segment", "state", "pressure", "cache", "read", "tier", "wal");

    @ArchTest
    static final ArchRule THE_STATE_IS_PURE = noClasses()
            .that()
            .resideInAnyPackage("io.sluice.store.state..", "io.sluice.store.pressure..")
            .should()
            .dependOnClassesThat(
                    resideInAnyPackage("java.io..", "java.nio.file..", "java.util.concurrent..", "org.slf4j..")
                            .and(not(assignableTo(IOException.class))))
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Thread.class);

    @ArchTest
    static final ArchRule ONLY_ITS_ROOM_KNOWS_BOOKKEEPER = noClasses()
            .that(resideOutsideOfPackage("io.sluice.store.wal.bookkeeper..")
                    .and(resideOutsideOfPackage("io.sluice.server..")))
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
                    .and(resideOutsideOfPackage("io.sluice.server..")))
            .should()
            .dependOnClassesThat(resideInAPackage("org.apache.pulsar.metadata.."));

    @ArchTest
    static final ArchRule THE_STORE_KNOWS_NO_PROTOCOL = noClasses()
            .that()
            .resideInAnyPackage("io.sluice.store..", "io.sluice.tiering..", "io.sluice.broker..")
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
