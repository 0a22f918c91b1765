/// What the service tells someone who has a handoff and no reader (day-archive.md 11).
enum SetupGuide {
    static func text(bucket: BucketID, endpoint: ServiceEndpoint) -> String {
        """
        This archive holds sealed days. The service cannot open them, and neither can any tool at this address.
        Reading happens on your own computer, with the reading key from the handoff. Never send that key anywhere:
        not to this service, not in a tool argument, not in a URL, a header, a log or a command line.

        1. Install healthmd on this computer.
        2. Save the whole handoff in a private file (mode 0600), or have it on standard input.
        3. healthmd archive reader connect --handoff FILE      (or: --handoff - for standard input)
           It checks that the key belongs to archive \(bucket) at \(endpoint.url).
        4. Delete the file. The keys now lie in the reader's private folder.
        5. healthmd archive reader sync                        copies and opens every day that changed
        6. Ask:  healthmd archive reader overview
                 healthmd archive reader daily --since 2026-08-01 --until 2026-08-31
                 healthmd archive reader sleep --since 2026-08-01
                 healthmd archive reader query --metric heartRate --since 2026-08-01
        7. For an agent on this computer, start the local MCP server:  healthmd archive mcp
           Its nine tools answer from opened days and never need the network for a question about the past.

        With an editor key in the handoff:  healthmd archive reader write --items FILE   and
        healthmd archive reader edits   to see what became of it.

        Every read is signed with a key that follows from the reading key; each signature is good for one request.
        """
    }

    static let signedReadsOnly = """
        This archive answers only signed reads. Run the local reader, which signs them: healthmd archive reader sync, \
        then healthmd archive reader query or healthmd archive mcp. setup_guide says how to connect it.
        """
}
