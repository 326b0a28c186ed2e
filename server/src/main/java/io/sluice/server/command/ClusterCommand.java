package io.sluice.server.command;

import io.sluice.server.version.Version;
import picocli.CommandLine.Command;

/** {@code sluice cluster}: commands about the stores of a cluster, which need no running node. */
@Command(
        name = "cluster",
        description = "Make the stores of a cluster ready, and see how it is: see docs/cluster.md.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            ClusterInitCommand.class,
            ClusterStatusCommand.class,
            ForgetNodeCommand.class,
            ForgetBookieCommand.class,
            ClusterImportCommand.class,
            ClusterAuditTierCommand.class
        })
public final class ClusterCommand {}
