package io.sluice.server;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.server.version.Version;
import io.sluice.store.container.Tasks;
import java.io.IOException;

/** The table of modules and packages in ARCHITECTURE.md, as rules; what a rule cannot see is said there. */
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
            .layer("bookie")
            .definedBy("io.sluice.bookie..")
            .layer("tiering")
            .definedBy("io.sluice.tiering..")
            .layer("broker")
            .definedBy("io.sluice.broker..")
            .layer("transactions")
            .definedBy("io.sluice.transactions..")
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
            .whereLayer("bookie")
            .mayOnlyBeAccessedByLayers("server")
            .whereLayer("tiering")
            .mayOnlyBeAccessedByLayers("server")
            .whereLayer("transactions")
            .mayOnlyBeAccessedByLayers("gateway-kafka", "gateway-pulsar", "server")
            .whereLayer("broker")
            .mayOnlyBeAccessedByLayers("transactions", "gateway-kafka", "gateway-pulsar", "server")
            .whereLayer("core-store")
            .mayOnlyBeAccessedByLayers(
                    "bookie", "tiering", "broker", "transactions", "gateway-kafka", "gateway-pulsar", "server");

    /** Each package counts by itself, one below another, too. */
    @ArchTest
    static final ArchRule NO_PACKAGES_IN_CIRCLES =
            slices().matching("io.sluice.(**)").should().beFreeOfCycles();

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
    static final ArchRule THE_DOOR_OF_THE_STORE_HAS_VALUES_AND_BUFFERS = classes()
            .that()
            .resideInAPackage("io.sluice.store.segment..")
            .should()
            .onlyDependOnClassesThat(
                    resideInAnyPackage("io.sluice.store.segment..", "java..", "io.netty.buffer..", "org.jspecify.."));

    @ArchTest
    static final ArchRule ROOMS_OF_THE_BOOKIE = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("journal")
            .definedBy("io.sluice.bookie.journal..")
            .layer("embedded")
            .definedBy("io.sluice.bookie.embedded..")
            .layer("the log and the metadata")
            .definedBy("io.sluice.store.wal.bookkeeper..", "io.sluice.store.cluster..")
            .layer("the rest of the store")
            .definedBy(resideInAPackage("io.sluice.store..")
                    .and(not(resideInAnyPackage("io.sluice.store.wal.bookkeeper..", "io.sluice.store.cluster.."))))
            .whereLayer("journal")
            .mayNotAccessAnyLayer()
            .whereLayer("embedded")
            .mayOnlyAccessLayers("journal", "the log and the metadata");

    @ArchTest
    static final ArchRule ROOMS_OF_TIERING = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("wiring")
            .definedBy("io.sluice.tiering")
            .layer("objectstore")
            .definedBy("io.sluice.tiering.objectstore..")
            .layer("format")
            .definedBy("io.sluice.tiering.format..")
            .layer("task")
            .definedBy("io.sluice.tiering.task..")
            .layer("flush")
            .definedBy("io.sluice.tiering.flush..")
            .layer("compact")
            .definedBy("io.sluice.tiering.compact..")
            .layer("read")
            .definedBy("io.sluice.tiering.read..")
            .layer("collect")
            .definedBy("io.sluice.tiering.collect..")
            .layer("audit")
            .definedBy("io.sluice.tiering.audit..")
            .layer("verify")
            .definedBy("io.sluice.tiering.verify..")
            .whereLayer("wiring")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("objectstore")
            .mayNotAccessAnyLayer()
            .whereLayer("format")
            .mayNotAccessAnyLayer()
            .whereLayer("task")
            .mayOnlyAccessLayers("objectstore")
            .whereLayer("flush")
            .mayOnlyAccessLayers("format", "objectstore", "task")
            .whereLayer("compact")
            .mayOnlyAccessLayers("flush", "format", "objectstore", "task")
            .whereLayer("read")
            .mayOnlyAccessLayers("format", "objectstore", "task")
            .whereLayer("collect")
            .mayOnlyAccessLayers("format", "objectstore", "task")
            .whereLayer("audit")
            .mayOnlyAccessLayers("format", "objectstore")
            .whereLayer("verify")
            .mayOnlyAccessLayers("format", "objectstore");

    @ArchTest
    static final ArchRule ROOMS_OF_THE_BROKER = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("wiring")
            .definedBy("io.sluice.broker")
            .layer("memory")
            .definedBy("io.sluice.broker.memory..")
            .layer("entry")
            .definedBy("io.sluice.broker.entry..")
            .layer("subscription")
            .definedBy("io.sluice.broker.subscription..")
            .layer("log")
            .definedBy("io.sluice.broker.log..")
            .layer("topic")
            .definedBy("io.sluice.broker.topic..")
            .layer("scalable")
            .definedBy("io.sluice.broker.scalable..")
            .layer("access")
            .definedBy("io.sluice.broker.access..")
            .layer("cluster")
            .definedBy("io.sluice.broker.cluster..")
            .layer("retention")
            .definedBy("io.sluice.broker.retention..")
            .layer("compaction")
            .definedBy("io.sluice.broker.compaction..")
            .layer("balance")
            .definedBy("io.sluice.broker.balance..")
            .layer("scaling")
            .definedBy("io.sluice.broker.scaling..")
            .layer("coordination")
            .definedBy("io.sluice.broker.coordination..")
            .layer("store")
            .definedBy("io.sluice.store..")
            .whereLayer("wiring")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("memory")
            .mayNotAccessAnyLayer()
            .whereLayer("entry")
            .mayNotAccessAnyLayer()
            .whereLayer("subscription")
            .mayOnlyAccessLayers("entry", "store")
            .whereLayer("log")
            .mayOnlyAccessLayers("entry", "subscription", "store")
            .whereLayer("topic")
            .mayOnlyAccessLayers("entry", "log", "subscription", "store")
            .whereLayer("scalable")
            .mayOnlyAccessLayers("entry", "log", "subscription", "topic", "store")
            .whereLayer("access")
            .mayOnlyAccessLayers("topic")
            .whereLayer("cluster")
            .mayNotAccessAnyLayer()
            .whereLayer("retention")
            .mayOnlyAccessLayers("log", "subscription", "topic", "store")
            .whereLayer("compaction")
            .mayOnlyAccessLayers("entry", "log", "subscription", "topic", "store")
            .whereLayer("balance")
            .mayOnlyAccessLayers("log", "topic", "store")
            .whereLayer("scaling")
            .mayOnlyAccessLayers("balance", "scalable", "topic", "store")
            .whereLayer("coordination")
            .mayOnlyAccessLayers("entry", "log", "topic", "store");

    /** Besides the public door the metadata port, and the port for tasks. */
    @ArchTest
    static final ArchRule THE_BROKER_AND_THE_GATEWAYS_ENTER_THE_STORE_BY_ITS_DOOR = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.sluice.broker..", "io.sluice.transactions..", "io.sluice.kafka..", "io.sluice.pulsar..")
            .should()
            .dependOnClassesThat(resideInAPackage("io.sluice.store..")
                    .and(not(resideInAnyPackage("io.sluice.store.segment..", "io.sluice.store.cluster..")))
                    .and(not(type(Tasks.class))));

    @ArchTest
    static final ArchRule TRANSACTIONS_STAND_ON_COORDINATOR_LOGS = noClasses()
            .that()
            .resideInAPackage("io.sluice.transactions..")
            .should()
            .dependOnClassesThat(resideInAPackage("io.sluice.broker..")
                    .and(not(resideInAnyPackage(
                            "io.sluice.broker.coordination..",
                            "io.sluice.broker.entry..",
                            "io.sluice.broker.log..",
                            "io.sluice.broker.subscription..",
                            "io.sluice.broker.topic.."))))
            .orShould()
            .dependOnClassesThat(resideInAnyPackage("org.apache.pulsar..", "io.vertx.."));

    @ArchTest
    static final ArchRule ROOMS_OF_THE_KAFKA_GATEWAY = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("wiring")
            .definedBy("io.sluice.kafka")
            .layer("wire")
            .definedBy("io.sluice.kafka.wire..")
            .layer("format")
            .definedBy("io.sluice.kafka.format..")
            .layer("api")
            .definedBy("io.sluice.kafka.api..")
            .layer("fetch")
            .definedBy("io.sluice.kafka.fetch..")
            .layer("handler")
            .definedBy("io.sluice.kafka.handler..")
            .layer("transaction")
            .definedBy("io.sluice.kafka.transaction..")
            .layer("coordinator")
            .definedBy("io.sluice.kafka.coordinator")
            .layer("coordinator.handler")
            .definedBy("io.sluice.kafka.coordinator.handler..")
            .layer("connection")
            .definedBy("io.sluice.kafka.connection..")
            .layer("broker")
            .definedBy(
                    "io.sluice.broker.access..",
                    "io.sluice.broker.cluster..",
                    "io.sluice.broker.entry..",
                    "io.sluice.broker.log..",
                    "io.sluice.broker.topic..")
            .layer("coordination")
            .definedBy("io.sluice.broker.coordination..")
            .layer("memory")
            .definedBy("io.sluice.broker.memory..")
            .layer("store")
            .definedBy("io.sluice.store..")
            .whereLayer("wiring")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("wire")
            .mayNotAccessAnyLayer()
            .whereLayer("format")
            .mayOnlyAccessLayers("broker")
            .whereLayer("api")
            .mayOnlyAccessLayers("format", "broker", "store")
            .whereLayer("fetch")
            .mayOnlyAccessLayers("api", "wire", "broker", "store")
            .whereLayer("handler")
            .mayOnlyAccessLayers("api", "fetch", "format", "wire", "broker", "store")
            .whereLayer("transaction")
            .mayOnlyAccessLayers("api", "format", "broker")
            .whereLayer("coordinator")
            .mayOnlyAccessLayers("api", "format", "broker", "coordination", "store")
            .whereLayer("coordinator.handler")
            .mayOnlyAccessLayers("api", "coordinator", "format", "broker")
            .whereLayer("connection")
            .mayOnlyAccessLayers("api", "wire", "memory");

    @ArchTest
    static final ArchRule ROOMS_OF_THE_PULSAR_GATEWAY = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("wiring")
            .definedBy("io.sluice.pulsar")
            .layer("config")
            .definedBy("io.sluice.pulsar.config..")
            .layer("error")
            .definedBy("io.sluice.pulsar.error..")
            .layer("metrics")
            .definedBy("io.sluice.pulsar.metrics..")
            .layer("wire")
            .definedBy("io.sluice.pulsar.wire..")
            .layer("format")
            .definedBy("io.sluice.pulsar.format..")
            .layer("namespace")
            .definedBy("io.sluice.pulsar.namespace..")
            .layer("schema")
            .definedBy("io.sluice.pulsar.schema..")
            .layer("topic")
            .definedBy("io.sluice.pulsar.topic..")
            .layer("dispatch")
            .definedBy("io.sluice.pulsar.dispatch..")
            .layer("scalable")
            .definedBy("io.sluice.pulsar.scalable..")
            .layer("services")
            .definedBy("io.sluice.pulsar.services..")
            .layer("connection")
            .definedBy("io.sluice.pulsar.connection..")
            .layer("handler")
            .definedBy("io.sluice.pulsar.handler..")
            .layer("admin")
            .definedBy("io.sluice.pulsar.admin..")
            .layer("transactions")
            .definedBy("io.sluice.transactions..")
            .layer("broker")
            .definedBy("io.sluice.broker..")
            .layer("store")
            .definedBy("io.sluice.store..")
            .whereLayer("wiring")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("config")
            .mayOnlyAccessLayers("broker")
            .whereLayer("error")
            .mayOnlyAccessLayers("transactions", "broker", "store")
            .whereLayer("metrics")
            .mayNotAccessAnyLayer()
            .whereLayer("wire")
            .mayNotAccessAnyLayer()
            .whereLayer("format")
            .mayOnlyAccessLayers("wire", "broker")
            .whereLayer("namespace")
            .mayOnlyAccessLayers("broker", "store")
            .whereLayer("schema")
            .mayOnlyAccessLayers("broker", "store")
            .whereLayer("topic")
            .mayOnlyAccessLayers("config", "error", "broker")
            .whereLayer("dispatch")
            .mayOnlyAccessLayers("config", "error", "format", "metrics", "wire", "broker", "store")
            .whereLayer("scalable")
            .mayOnlyAccessLayers("dispatch", "broker", "store")
            .whereLayer("services")
            .mayOnlyAccessLayers(
                    "config",
                    "dispatch",
                    "metrics",
                    "namespace",
                    "scalable",
                    "schema",
                    "topic",
                    "transactions",
                    "broker")
            .whereLayer("connection")
            .mayOnlyAccessLayers(
                    "config",
                    "dispatch",
                    "error",
                    "format",
                    "metrics",
                    "scalable",
                    "services",
                    "transactions",
                    "wire",
                    "broker",
                    "store")
            .whereLayer("handler")
            .mayOnlyAccessLayers(
                    "config",
                    "connection",
                    "dispatch",
                    "error",
                    "namespace",
                    "scalable",
                    "schema",
                    "services",
                    "topic",
                    "transactions",
                    "wire",
                    "broker",
                    "store")
            .whereLayer("admin")
            .mayOnlyAccessLayers(
                    "config",
                    "dispatch",
                    "error",
                    "namespace",
                    "scalable",
                    "schema",
                    "services",
                    "topic",
                    "transactions",
                    "wire",
                    "broker",
                    "store");

    /** So that nobody gets round who may do what; changing a topic that was found there is another matter. */
    @ArchTest
    static final ArchRule PULSAR_LOOKS_TOPICS_UP_IN_ONE_PLACE = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.sluice.pulsar.connection..",
                    "io.sluice.pulsar.dispatch..",
                    "io.sluice.pulsar.handler..",
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

    /** Its JSON aside. */
    @ArchTest
    static final ArchRule ONLY_ADMIN_KNOWS_VERTX = noClasses()
            .that(resideOutsideOfPackage("io.sluice.pulsar.admin..").and(resideOutsideOfPackage("io.sluice.server..")))
            .should()
            .dependOnClassesThat(resideInAPackage("io.vertx..").and(not(resideInAPackage("io.vertx.core.json.."))));

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
                    .and(resideOutsideOfPackage("io.sluice.bookie.embedded..")))
            .should()
            .dependOnClassesThat(resideInAPackage("org.apache.pulsar.metadata.."));

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

    /** The command's version aside. */
    @ArchTest
    static final ArchRule THE_CHECK_IS_A_CLIENT = noClasses()
            .that()
            .resideInAPackage("io.sluice.server.check..")
            .should()
            .dependOnClassesThat(resideInAPackage("io.sluice..")
                    .and(resideOutsideOfPackage("io.sluice.server.check.."))
                    .and(not(type(Version.class))));

    /** The command's version aside. */
    @ArchTest
    static final ArchRule ADMINISTRATION_ASKS_THE_BROKER = noClasses()
            .that()
            .resideInAPackage("io.sluice.server.admin..")
            .should()
            .dependOnClassesThat(resideInAPackage("io.sluice..")
                    .and(not(resideInAnyPackage(
                            "io.sluice.server.admin..",
                            "io.sluice.server.containers..",
                            "io.sluice.broker..",
                            "io.sluice.kafka.format..",
                            "io.sluice.store.segment..")))
                    .and(not(type(Tasks.class)))
                    .and(not(type(Version.class))));

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
