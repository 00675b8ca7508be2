#!/usr/bin/env bash
# A steward's and a curator's day: their commands in order, each with the answer that it must have. All data are made up.
# The binary is $TRUENAME, or the release build.
set -euo pipefail
cd "$(dirname "$0")/.."
truename=$(realpath "${TRUENAME:-${CARGO_TARGET_DIR:-$PWD/target}/release/truename}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir bin
ln -s "$truename" bin/truename
export PATH="$folder/bin:$PATH" TRUENAME_CACHE="$folder/cache"

commands=0
# Runs a command line and compares its exit code and its output with stdin. Probabilities are cut to one digit.
answers() { # EXIT-CODE COMMAND-LINE
    local code=0 expected
    expected=$(cat)
    bash -o pipefail -c "$2" >out 2>err || code=$?
    sed -E 's/(0\.[0-9])[0-9]+/\1/g' out >shown
    if [ "$code" != "$1" ] || ! diff <(printf '%s\n' "$expected") <(printf '%s\n' "$(<shown)") >differences; then
        printf 'day.sh: %s\nexit code %s, expected %s\n' "$2" "$code" "$1" >&2
        cat differences err >&2
        exit 1
    fi
    commands=$((commands + 1))
}

cat >products.csv <<'END'
id,name,synonyms,type,definition
P1,Orlan Server,Orlan OS Server,operating system,An operating system for servers
P2,Orlan Desktop,,operating system,An operating system for desks
P3,Quill Database,QuillDB|Quill DBMS,database,A relational database
P4,Quill Studio,,development tool,An editor for Quill
P5,Northwind Mail,NW Mail,mail server,A mail server
P6,Tessel Analytics 9,,analytics,Reports and charts
P7,Tessel Analytics 10,,analytics,Reports and charts
END
cat >inventory.csv <<'END'
host,software,cost
a01,Orlan  Server,10
a02,"quill db",20
a03,Tessel Analytics 10,30
a04,NWMail,40
a05,the mail thing,5
a06,Quill Studo,7
a07,n/a,0
END

# The steward: a column of an inventory gets the ids of the products, and the other columns stay.
answers 0 'truename kb import products.csv --out kb' <<'END'
END
export TRUENAME_KB=kb
answers 0 'truename match inventory.csv --column software' <<'END'
host,software,cost,id,matched_name,preferred_name,probability
a01,Orlan  Server,10,P1,Orlan Server,Orlan Server,0.9
a02,"quill db",20,P3,QuillDB,Quill Database,0.9
a03,Tessel Analytics 10,30,P7,Tessel Analytics 10,Tessel Analytics 10,0.9
a04,NWMail,40,P5,NW Mail,Northwind Mail,0.9
a05,the mail thing,5,,,,0.0
a06,Quill Studo,7,P4,Quill Studio,Quill Studio,0.9
a07,n/a,0,,,,0.0
END

# One name is judged. It is answered so from then on, and the explanation says since when.
printf 'name,id\nthe mail thing,P5\n' >judged.csv
answers 0 'truename kb learn judged.csv' <<'END'
END
answers 0 'truename match inventory.csv --column software | grep P5' <<'END'
a04,NWMail,40,P5,NW Mail,Northwind Mail,0.9
a05,the mail thing,5,P5,the mail thing,Northwind Mail,0.9
END
answers 0 "echo 'the mail thing' | truename match - --explain | grep -o 'You judged this on $(date -u +%F)'" <<END
You judged this on $(date -u +%F)
END
answers 0 'truename kb learn --list | cut -d, -f1,2' <<'END'
name,id
the mail thing,P5
END
answers 0 'truename kb learn --forget "the mail thing"; truename kb learn --list | cut -d, -f1,2' <<'END'
name,id
END

# A file that has only names would take away what the knowledge base knows: it is refused, and what is lost is said.
printf 'id,name\nP1,Orlan Srv\n' >names-only.csv
answers 1 'truename kb update names-only.csv' <<'END'
END
printf 'id,name,type\nP8,Velum Backup,backup\n' >new.csv
answers 0 'truename kb update new.csv; echo "velum backup" | truename match -' <<'END'
name	id	matched_name	preferred_name	probability
velum backup	P8	Velum Backup	Velum Backup	0.9
END

# A pipe is answered as its lines come: the first answer is there before the second name.
cat >slowly.sh <<'END'
coproc truename -q match - --format jsonl
for name in 'quill db' 'nothing of ours'; do
    echo "$name" >&"${COPROC[1]}"
    read -r -t 20 answer <&"${COPROC[0]}"
    grep -o '"name":"[^"]*","id":[^,]*' <<<"$answer"
done
END
answers 0 'bash slowly.sh' <<'END'
"name":"quill db","id":"P3"
"name":"nothing of ours","id":null
END

# A malformed line is named, and the others are answered.
printf '{"name":"quill db"}\n{broken\n{"name":"NW Mail"}\n' >names.jsonl
answers 0 'truename match names.jsonl 2>&1 >answers.jsonl | grep -o "names.jsonl:2"; grep -c probability answers.jsonl' <<'END'
names.jsonl:2
2
END
answers 1 'truename match names.jsonl --strict >/dev/null' <<'END'
END

# A long run that is killed goes on, and its file is that of a run that was not.
seq 1 60000 | sed 's/.*/Quill Databse & of a host/' >long.txt
answers 0 'truename match long.txt --out whole.csv && wc -l <whole.csv' <<'END'
60001
END
cat >killed.sh <<'END'
truename match long.txt --out gone-on.csv --resume &
until [ -e gone-on.csv.resume ]; do sleep 0.01; kill -0 $! 2>/dev/null || break; done
kill -KILL $! 2>/dev/null
wait $! 2>/dev/null
truename match long.txt --out gone-on.csv --resume && cmp whole.csv gone-on.csv && echo the same
END
answers 0 'bash killed.sh' <<'END'
the same
END

# Customers who stand in a table twice. Labels of one class are refused.
cat >customers.csv <<'END'
id,name,street,city,phone
1,Ada Venn,4 Mill Lane,Orlby,0547 583699
2,Ada Venn,4 Mill Ln,Orlby,+49 547 583699
3,Borg Hale,9 Hill Street,Tarn,0211 111222
4,Borg Hale,9 Hill Street,Tarn,0211 111222
5,Cleo Marsh,1 Quay,Orlby,
END
answers 0 'truename dedupe customers.csv' <<'END'
left,right,probability,cluster
1,2,0.9,1
3,4,0.9,2
END
printf 'left,right,label\n1,2,1\n3,4,1\n' >same.csv
answers 1 'truename dedupe customers.csv --labels same.csv' <<'END'
END

# The curator: an ontology, and notes that name its diseases.
cat >diseases.obo <<'END'
format-version: 1.2

[Term]
id: D:1
name: velonic fever
namespace: disease
synonym: "fever of Velo" EXACT []

[Term]
id: D:2
name: marrin syndrome
namespace: disease
synonym: "marrin disease" EXACT []

[Term]
id: D:3
name: marrin syndrome type 2
namespace: disease
synonym: "marrin syndrome" EXACT []

[Term]
id: D:4
name: breast tharnoma
namespace: disease

[Term]
id: D:5
name: ovarian tharnoma
namespace: disease
END
mkdir notes
printf 'No velonic fever (VF) today. His mother had marrin syndrome.\n\nBreast and ovarian tharnoma were treated in May; VF is possible.\n' >notes/a.txt
printf 'PROBLEMS\n- Marrin disease\n- Velonic Fever\n' >notes/b.txt
answers 0 'truename kb import diseases.obo --out diseases' <<'END'
END
export TRUENAME_KB=diseases

# Each preferred name is its concept's, though another concept has it among its synonyms.
answers 0 'truename kb export | grep -o "\"id\":[^,]*,\"name\":[^,]*" | sed -E "s/.*\"name\":\"([^\"]*)\"/\1/" | truename match - | cut -f2' <<'END'
id
D:1
D:2
D:3
D:4
D:5
END

# Spans, ids and what the notes say of the diseases; only what is affirmed; names that share a word.
answers 0 'truename link notes --format pubtator | grep -v "|"' <<'END'
a	3	16	velonic fever	disease	D:1
a	18	20	VF	disease	D:1
a	44	59	marrin syndrome	disease	D:2
a	73	89	ovarian tharnoma	disease	D:5
a	111	113	VF	disease	D:1
a	negated	3	16
a	negated	18	20
a	family	44	59
a	uncertain	111	113

b	11	25	Marrin disease	disease	D:2
b	28	41	Velonic Fever	disease	D:1
END
answers 0 'truename link notes --asserted --format csv | cut -d, -f1-6' <<'END'
document,start,end,text,type,id
a,73,89,ovarian tharnoma,disease,D:5
b,11,25,Marrin disease,disease,D:2
b,28,41,Velonic Fever,disease,D:1
END
answers 0 'truename link notes/a.txt --composites --format brat --out brat && cat brat/a.ann | grep -E "^T[3-5]|^A[34]"' <<'END'
T3	disease 44 59	marrin syndrome
A3	Family T3
T4	disease 62 68;81 89	Breast tharnoma
T5	disease 73 89	ovarian tharnoma
A4	Uncertain T6
END

# A note's word that is never a mention, and a name that the ontology lacks, are judged once.
printf 'name,id\nVelo flu,D:1\nMay,never a mention\n' >judged-notes.csv
answers 0 'truename kb learn judged-notes.csv && echo "Velo flu in May" | truename link - --format conll' <<'END'
# newdoc id = stdin
Velo	B-disease
flu	I-disease
in	O
May	O
END

# Gold documents say how well this goes.
cat >gold.pubtator <<'END'
1|t|velonic fever and marrin disease
1|a|
1	0	13	velonic fever	Disease	D:1
1	18	32	marrin disease	Disease	D:2

END
answers 0 'truename evaluate link --gold gold.pubtator --types Disease=disease | grep -E "^mentions?[ ,]" | head -1' <<'END'
mentions, strict            100.0    100.0    100.0         2         2
END

echo "$commands commands answered as they must"
