import uuid

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('mailbox', '0002_life'),
    ]

    operations = [
        migrations.CreateModel(
            name='Summary',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('level', models.PositiveSmallIntegerField()),
                ('first', models.PositiveIntegerField()),
                ('last', models.PositiveIntegerField()),
                ('text', models.TextField()),
                ('into', models.UUIDField(null=True)),
                ('made_at', models.DateTimeField()),
                ('withheld_at', models.DateTimeField(null=True)),
                ('seat', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='summaries', to='mailbox.seat')),
            ],
            options={
                'verbose_name_plural': 'summaries',
                'indexes': [models.Index(condition=models.Q(('into', None), ('withheld_at', None)), fields=['seat', 'last'], name='summary_told')],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('withheld_at', None)), fields=('seat', 'level', 'first'), name='summary_one_of_a_stretch'),
                    models.CheckConstraint(condition=models.Q(('first__gte', 1), ('first__lte', models.F('last'))), name='summary_stretch'),
                ],
            },
        ),
        migrations.AddIndex(
            model_name='utterance',
            index=models.Index(condition=models.Q(('number__isnull', False)), fields=['seat', 'number'], name='utterance_number'),
        ),
    ]
