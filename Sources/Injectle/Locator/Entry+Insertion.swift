// How a registration takes its place at an entry.

extension Entry {
    /// What a registration has replaced: objects to be released without a lock.
    struct Replaced {
        var records: [AnyRecord] = []
        var instance: AnyInstance?
    }
}

extension Entry.State {
    /// Inserts a registration in place of the one that declares the same arguments, and of all overridable ones.
    ///
    /// - Parameter value: The instance that each request gets.
    mutating func insert(_ new: AnyRecord, _ value: AnyInstance?) -> Entry.Replaced {
        let declared = new.traits.declared
        if record == nil, withArguments.isEmpty, declared == nil {
            record = new
            instance = value
            return Entry.Replaced()
        }
        var replaced = Entry.Replaced()
        withArguments.removeAll { old in
            let isReplaced =
                declared.map(old.traits.declares) ?? false
                || old.isOverridable && !new.isOverridable && !old.traits.isFinal
            if isReplaced { replaced.records.append(old) }
            return isReplaced
        }
        let isReplaced = declared == nil || record?.isOverridable == true && !new.isOverridable
        if isReplaced, let old = record, declared == nil || !old.traits.isFinal {
            replaced.records.append(old)
            record = nil
            replaced.instance = instance.take()
            reference = nil
        }
        if declared != nil {
            withArguments.append(new)
        } else {
            record = new
            instance = value
        }
        return replaced
    }
}
