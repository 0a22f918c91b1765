import ConnectedProtocol
import Cryptography
import Foundation

extension SenderEngine {
    // Sessions and transfers: events in, actions performed in order.

    /// Hands an event to a job's session and performs what it says.
    func deliver(_ event: SenderSession.Event, to jobID: UUID) throws {
        guard var job = jobs[jobID] else { return }
        let wasParked = job.session.isParked
        let actions = job.session.handle(event, at: clock())
        jobs[jobID] = job
        try perform(actions, of: jobID)
        if let job = jobs[jobID], job.session.isParked, !wasParked {
            report(.jobPaused(jobID: jobID, message: job.session.journal.progress.statusMessage ?? ""))
        }
    }

    private func perform(_ actions: [SenderSession.Action], of jobID: UUID) throws {
        for action in actions {
            switch action {
            case .store(let journal): try store.update(journal)
            case .send(let message): link?.channel.send(message)
            case .produceItem(let date, let isRequested, let kind):
                guard let job = jobs[jobID] else { break }
                workbench.submit(
                    .produce(
                        jobID: jobID,
                        ItemOrder(job.stored, sourceDate: date, isRequestedDate: isRequested, kind: kind)))
            case .buildPartition(let plan): workbench.submit(.build(jobID: jobID, plan))
            case .beginTransfer(let partition): try begin(partition, of: jobID)
            case .stopTransfer(let reason): stopTransfer(of: jobID, telling: reason != nil)
            case .deleteItems(let itemIDs): workbench.submit(.delete(itemIDs))
            case .ended(let journal): try finish(jobID, journal)
            }
        }
    }

    private func finish(_ jobID: UUID, _ journal: SourceJournal) throws {
        // A job that ends before it was taken up again, since its items are damaged for instance, has said nothing on this connection.
        if let link, let job = jobs[jobID], !job.session.isConnected, job.isBound(to: link) {
            link.channel.send(.corpusStatus(journal.status))
        }
        jobs[jobID] = nil
        if workingJobID == jobID { workingJobID = nil }
        if journal.session.peerBinding != nil {
            var recorded = journal
            recorded.recordCompletion()
            try store.update(recorded)
        }
        report(
            .jobEnded(
                jobID: jobID, state: journal.status.state.rawValue, message: journal.progress.statusMessage))
        try store.removeCancellation(of: jobID)
        note(ended: journal)
    }

    // MARK: Transfers

    private func begin(_ partition: SourceJournal.PendingPartition, of jobID: UUID) throws {
        guard let link, let ready = jobs[jobID]?.ready[partition.transferID] else {
            preconditionFailure("a partition is sent over a connection, after it was built or verified")
        }
        let start = TransferStart(
            transferID: partition.transferID, partition: partition.descriptor,
            chunkBytes: ready.digests.chunkByteCount)
        jobs[jobID]?.transfer = RunningTransfer(
            machine: TransferSender(start: start, transport: link.chunks), ready: ready, chunks: link.chunks)
        try drive(.begin, transferOf: jobID)
    }

    /// Hands an event to a job's transfer and performs what it says.
    func drive(_ event: TransferSender.Event, transferOf jobID: UUID) throws {
        guard let actions = jobs[jobID]?.transfer?.machine.handle(event, at: clock()) else { return }
        for action in actions {
            switch action {
            case .send(let message): link?.channel.send(message)
            case .sendChunk(let sequence, let range): try sendChunk(sequence, range, of: jobID)
            case .finished(let outcome): try finishTransfer(of: jobID, outcome)
            }
        }
    }

    private func sendChunk(_ sequence: Int, _ range: Range<Int64>, of jobID: UUID) throws {
        guard let link, let transfer = jobs[jobID]?.transfer else { return }
        let transferID = transfer.machine.start.transferID
        let digest = transfer.ready.digests.chunks[sequence - 1]
        do {
            if transfer.chunks.binaryFrameVersion != nil {
                let frame = BinaryFrame(
                    transferID: transferID, sequence: UInt32(sequence), payloadByteCount: range.count,
                    payloadSHA256: digest)
                try link.channel.send(frame) { try transfer.ready.bytes.read(into: $0, at: range.lowerBound) }
            } else {
                var data = [UInt8](repeating: 0, count: range.count)
                try data.withUnsafeMutableBytes { try transfer.ready.bytes.read(into: $0, at: range.lowerBound) }
                link.channel.send(
                    .transferChunk(
                        TransferChunk(transferID: transferID, sequence: sequence, data: data, sha256: digest)))
            }
        } catch {
            let isFinal = (error as? SenderError).map { if case .itemDamaged = $0 { true } else { false } } ?? false
            let code = StoreFailure.code(of: error)
            return try deliver(
                .localFailure(code: code, message: "A prepared day could not be read.", isFinal: isFinal), to: jobID)
        }
        try drive(.chunkSent(sequence: sequence, sha256: digest), transferOf: jobID)
    }

    private func finishTransfer(of jobID: UUID, _ outcome: TransferSender.Outcome) throws {
        guard let transfer = jobs[jobID]?.transfer else { return }
        jobs[jobID]?.transfer = nil
        switch outcome {
        case .accepted:
            jobs[jobID]?.ready[transfer.machine.start.transferID] = nil
            report(
                .partitionCommitted(
                    jobID: jobID, index: transfer.ready.bytes.file.manifest.partitionIndex,
                    byteCount: transfer.ready.bytes.file.byteCount))
            try deliver(.transferEnded(.accepted), to: jobID)
        case .failed(let reason, let message):
            try deliver(.transferEnded(.aborted(reason, message: message)), to: jobID)
        }
    }

    /// Our own end of a transfer: the session knows already, so its outcome is not reported back.
    private func stopTransfer(of jobID: UUID, telling: Bool) {
        guard var transfer = jobs[jobID]?.transfer else { return }
        jobs[jobID]?.transfer = nil
        guard telling else { return }
        for case .send(let message) in transfer.machine.handle(.cancel, at: clock()) { link?.channel.send(message) }
    }
}
