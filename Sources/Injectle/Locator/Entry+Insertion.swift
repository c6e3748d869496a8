// How a registration takes its place at an entry.

extension Entry {
    /// What a registration has replaced: objects to be released without a lock.
    struct Replaced {
        var records: [AnyRecord] = []
        var instance: AnyInstance?
    }
}

extension Entry.State {
    /// Inserts a registration in place of the one that declares the same arguments, and of all inherited ones.
    ///
    /// - Parameter form: The instance that each request gets.
    mutating func insert(_ new: AnyRecord, _ form: AnyInstance?) -> Entry.Replaced {
        let declared = new.traits.declared
        if record == nil, declaring.isEmpty, declared == nil {
            record = new
            instance = form
            return Entry.Replaced()
        }
        var replaced = Entry.Replaced()
        declaring.removeAll { old in
            let isReplaced =
                declared.map(old.traits.declares) ?? false || old.isInherited && !new.isInherited && !old.traits.isFinal
            if isReplaced { replaced.records.append(old) }
            return isReplaced
        }
        let isReplaced = declared == nil || record?.isInherited == true && !new.isInherited
        if isReplaced, let old = record, declared == nil || !old.traits.isFinal {
            replaced.records.append(old)
            record = nil
            replaced.instance = instance.take()
            reference = nil
        }
        if declared != nil {
            declaring.append(new)
        } else {
            record = new
            instance = form
        }
        return replaced
    }
}
